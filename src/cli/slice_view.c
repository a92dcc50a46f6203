#include "slice_view.h"

#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hc_slice_models_known(struct hc_slice_models *models)
{
    static const struct hc_dispatch kit[] = {
        { "task_post", 0, 1, "task_run", false, false },
        { "timer_start_once", 0, 0, "expire", true, false },
        { "timer_start_periodic", 0, 0, "expire", true, false },
        { "timer_start_at", 0, 0, "expire", true, false },
        { "timer_stop", 0, 0, "expire", true, true },
    };

    *models = (struct hc_slice_models){ .count = sizeof kit / sizeof *kit };
    memcpy(models->model, kit, sizeof kit);
}

/* Known names may be those of other functions: a queue's are defined in one file. */
static bool is_queue(const struct hc_depend_program *p, const struct hc_dispatch *model)
{
    uint32_t post = hc_depend_find(p, model->post), run = hc_depend_find(p, model->run);

    return post != HC_FUNCTION_NONE && run != HC_FUNCTION_NONE && p->function[post].file == p->function[run].file;
}

bool hc_slice_models_add(struct hc_slice_models *models, const char *word)
{
    char *text = strdup(word), *rest = text, *piece[4] = { 0 };
    size_t count = 0;

    while (text && count < 4 && (piece[count] = strsep(&rest, ":")))
        count++;
    bool fine = models->count < HC_SLICE_MODELS && count == 4 && !rest && *piece[0] && *piece[3] &&
                strlen(piece[1]) == 1 && strlen(piece[2]) == 1 && strspn(piece[1], "0123456789") &&
                strspn(piece[2], "0123456789*");
    if (!fine) {
        free(text);
        return false;
    }
    models->text[models->count] = text;
    models->model[models->count++] =
        (struct hc_dispatch){ .post = piece[0],
                              .what = (unsigned)(*piece[1] - '0'),
                              .argument = *piece[2] == '*' ? 0 : (unsigned)(*piece[2] - '0'),
                              .run = piece[3],
                              .within = *piece[2] == '*' };
    return true;
}

void hc_slice_models_free(struct hc_slice_models *models)
{
    for (size_t i = 0; i < models->count; i++)
        free(models->text[i]);
}

int hc_slice_view_open(struct hc_slice_view *v, const char *const *files, size_t count, const char *asked,
                       const struct hc_slice_models *models, struct hc_depend_message *message)
{
    struct hc_depend_message found = { "" };

    if (hc_depend_program_read(&v->program, files, count, message))
        return HC_EXIT_INPUT;
    if (!hc_criterion_find(&v->criterion, &v->program, asked, &found)) {
        snprintf(message->text, sizeof message->text, "%.100s: %.380s", files[0], found.text);
        return HC_EXIT_USAGE;
    }
    for (size_t i = 0; i < models->count; i++)
        if (models->text[i] || is_queue(&v->program, &models->model[i]))
            v->model[v->models++] = models->model[i];
    if (hc_points_to(&v->points_to, &v->program, v->model, v->models) &&
        hc_slice_compute(&v->slice, &v->points_to, &v->criterion) && hc_pfdg_make(&v->graph, &v->slice, &v->criterion))
        return HC_EXIT_FINE;
    snprintf(message->text, sizeof message->text, "out of memory");
    return HC_EXIT_INPUT;
}

void hc_slice_view_free(struct hc_slice_view *v)
{
    hc_pfdg_free(&v->graph);
    hc_slice_free(&v->slice);
    hc_points_to_free(&v->points_to);
    hc_depend_program_free(&v->program);
}
