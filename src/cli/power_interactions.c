#include "power_interactions.h"

#include "command.h"
#include "power/interactions/peripherals.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static bool find_input(struct hc_power_options *o, struct hc_power_input *input, const struct hc_image *image)
{
    struct hc_symbol symbol;

    if (hc_image_symbol(image, input->name, &symbol) && (symbol.function || symbol.size)) {
        input->kind = symbol.function ? HC_INPUT_FUNCTION : HC_INPUT_VARIABLE;
        input->address = symbol.address;
        input->size = symbol.size;
    } else if (hc_peripheral_register(input->name, &input->address, &input->size)) {
        input->kind = HC_INPUT_REGISTER;
    } else {
        hc_complain("%s: there is no variable, function or register '%s'", o->file, input->name);
        return false;
    }
    if (input->kind == HC_INPUT_VARIABLE && input->untagged) {
        hc_complain("--input: '%s': add :most-recent or :long-term", input->name);
        return false;
    }
    return true;
}

static bool find_output(struct hc_power_options *o, struct hc_output *output, const struct hc_image *image)
{
    struct hc_symbol symbol;

    if (hc_image_symbol(image, output->name, &symbol) && symbol.function) {
        output->entry = symbol.address;
        return true;
    }
    if (hc_peripheral_register(output->name, &output->entry, &output->register_size))
        return true;
    hc_complain("%s: there is no function or register '%s'", o->file, output->name);
    return false;
}

/* Of a variable or a section. */
static bool find_range(const struct hc_image *image, const char *name, struct hc_nvm_range *out)
{
    struct hc_symbol symbol;
    struct hc_image_section section;

    if (hc_image_symbol(image, name, &symbol) && !symbol.function && symbol.size)
        *out = (struct hc_nvm_range){ symbol.address, symbol.size };
    else if (hc_image_section(image, name, &section) && section.size)
        *out = (struct hc_nvm_range){ section.address, section.size };
    else
        return false;
    return true;
}

static bool find_nvm(struct hc_power_options *o, const struct hc_image *image)
{
    for (size_t i = 0; i < o->ranges; i++)
        if (!find_range(image, o->nvm_name[i], &o->range[i])) {
            hc_complain("--nvm: '%s': expected all, globals, stack, heap, or a variable or section of %s",
                        o->nvm_name[i], o->file);
            return false;
        }
    return true;
}

static bool find_variables(const struct hc_power_options *o, const char *option, struct hc_power_variables *v,
                           const struct hc_image *image)
{
    for (size_t i = 0; i < v->count; i++)
        if (!find_range(image, v->name[i], &v->range[i])) {
            hc_complain("%s: '%s': not a variable or section of %s", option, v->name[i], o->file);
            return false;
        }
    return true;
}

/* ---- values of inputs ---- */

static char *read_text(const char *path);

/* Of SPEC, which may be @FILE; false after a complaint. */
static bool read_values(const char *spec, struct hc_input_values *out)
{
    char message[120];
    char *text = *spec == '@' ? read_text(spec + 1) : NULL;

    if (*spec == '@' && !text) {
        hc_complain("%s: %s", spec + 1, strerror(errno));
        return false;
    }
    int wrong = text ? hc_input_values_parse_table(out, text, message, sizeof message)
                     : hc_input_values_parse(out, spec, message, sizeof message);
    if (wrong)
        hc_complain("--input-values: %s: %s", spec, message);
    free(text);
    return !wrong;
}

/* 0, or the exit code after a complaint. */
static int give_values(struct hc_power_options *o, size_t i)
{
    char *spec = strchr(o->values[i], '=');
    size_t k = 0;

    *spec++ = 0;
    while (k < o->inputs && strcmp(o->input[k].name, o->values[i]) != 0)
        k++;
    if (k == o->inputs || o->input[k].kind != HC_INPUT_FUNCTION) {
        hc_complain("--input-values: '%s': not a function named by --input", o->values[i]);
        return HC_EXIT_USAGE;
    }
    if (!read_values(spec, &o->input_values[i]))
        return *spec == '@' ? HC_EXIT_INPUT : HC_EXIT_USAGE;
    o->input[k].values = &o->input_values[i];
    return HC_EXIT_FINE;
}

/* ---- the environment ---- */

static char *read_text(const char *path)
{
    enum { MOST = 1 << 16 };
    FILE *file = fopen(path, "rb");
    char *text = file ? calloc(1, MOST + 1) : NULL;

    if (text && fread(text, 1, MOST, file) == MOST) {
        free(text);
        text = NULL;
        errno = EFBIG;
    }
    if (file)
        fclose(file);
    return text;
}

static int read_table(struct hc_power_interactions *i, struct hc_power_options *o)
{
    char message[120];

    i->table = read_text(o->environment);
    if (!i->table) {
        hc_complain("%s: %s", o->environment, strerror(errno));
        return HC_EXIT_INPUT;
    }
    int more = hc_outputs_parse(&o->output[o->outputs], HC_OUTPUTS_MAX - o->outputs, i->table, message, sizeof message);
    if (more < 0) {
        hc_complain("%s: %s", o->environment, message);
        return HC_EXIT_INPUT;
    }
    o->outputs += (size_t)more;
    return HC_EXIT_FINE;
}

static int load_library(struct hc_power_interactions *i, const char *path)
{
    char here[4096];

    if (!strchr(path, '/')) { /* else it would be looked for among the system's */
        snprintf(here, sizeof here, "./%s", path);
        path = here;
    }
    i->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!i->library) {
        hc_complain("%s", dlerror());
        return HC_EXIT_INPUT;
    }
    i->environment = dlsym(i->library, "hindcast_environment");
    if (!i->environment || i->environment->version != HC_ENVIRONMENT_VERSION || !i->environment->act ||
        !i->environment->size) {
        hc_complain("%s: no hindcast_environment of version %d with a size and act", path, HC_ENVIRONMENT_VERSION);
        i->environment = NULL;
        return HC_EXIT_INPUT;
    }
    return HC_EXIT_FINE;
}

static int load_environment(struct hc_power_interactions *i, struct hc_power_options *o)
{
    size_t length = o->environment ? strlen(o->environment) : 0;

    if (!length)
        return HC_EXIT_FINE;
    bool library = length > 3 && !strcmp(o->environment + length - 3, ".so");
    return library ? load_library(i, o->environment) : read_table(i, o);
}

int hc_power_interactions_find(struct hc_power_interactions *i, struct hc_power_options *options,
                               const struct hc_image *image)
{
    *i = (struct hc_power_interactions){ .options = options };
    int code = load_environment(i, options);

    if (!code && (!find_nvm(options, image) || !find_variables(options, "--versioned", &options->versioned, image) ||
                  !find_variables(options, "--exclude", &options->excluded, image)))
        code = HC_EXIT_USAGE;
    for (size_t k = 0; !code && k < options->inputs; k++)
        if (!find_input(options, &options->input[k], image))
            code = HC_EXIT_USAGE;
    for (size_t k = 0; !code && k < options->values_count; k++)
        code = give_values(options, k);
    for (size_t k = 0; !code && k < options->outputs; k++)
        if (!find_output(options, &options->output[k], image))
            code = HC_EXIT_USAGE;
    return code;
}

void hc_power_interactions_free(struct hc_power_interactions *i)
{
    for (size_t k = 0; i->options && k < i->options->values_count; k++)
        hc_input_values_free(&i->options->input_values[k]);
    if (i->library)
        dlclose(i->library);
    free(i->table);
    *i = (struct hc_power_interactions){ 0 };
}
