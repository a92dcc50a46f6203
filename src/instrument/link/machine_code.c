#include "machine_code.h"

#include "instrument/proof/walk.h"
#include "target/target.h"

bool hc_machine_code_look(struct hc_code_facts *out, const struct hc_image *image, const struct hc_regs *registers)
{
    struct hc_code_graph code;
    bool fine = hc_proof_walk(&code, image);

    *out = (struct hc_code_facts){ 0 };
    for (size_t n = 0; n < code.nodes; n++)
        if (!code.node[n].cut)
            code.target->code->look(&code, code.node[n].pc, registers, out);
    hc_code_graph_free(&code);
    return fine;
}
