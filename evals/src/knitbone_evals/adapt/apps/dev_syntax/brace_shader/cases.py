"""Source of a shader, whose brackets are counted."""

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    at_first,
    replaced,
    syntax,
    template,
    undetermined,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING
from knitbone_evals.adapt.faults.markup import fenced, introduced

SPEC = AppSpec(
    name="brace_shader", half="dev_syntax", domain="program synthesis", function="shader"
)


def of(code, uniforms, note=""):
    return Base(
        inputs={"mood": "calm sea"},
        outputs=(code,),
        expected={"uniforms": uniforms, "tail": code.rstrip()[-20:], "head": code.lstrip()[:12]},
        note=note,
    )


def base(rng, _pool):
    number = rng.randint(1, 9)
    return rng.choice(
        [
            of(
                (
                    "uniform float time;\n"
                    "uniform vec2 size;\n\n"
                    f"void main() {{\n"
                    "    vec2 uv = gl_FragCoord.xy / size;\n"
                    f"    float w = sin(uv.x * {number}.0 + time);\n"
                    "    gl_FragColor = vec4(vec3(w), 1.0);\n"
                    f"}}"
                ),
                {"time": "float", "size": "vec2"},
            ),
            of(
                (
                    "uniform vec3 tint;\n\n"
                    f"float wave(float x) {{\n"
                    f"    return sin(x) * {number}.0;\n"
                    f"}}\n\n"
                    f"void main() {{\n"
                    f"    for (int i = 0; i < {number}; i++) {{\n"
                    "        gl_FragColor.rgb += tint * wave(float(i));\n"
                    f"    }}\n"
                    f"}}\n"
                ),
                {"tint": "vec3"},
            ),
        ]
    )


FAULTS = (
    THINKING,
    template("fence", fenced("glsl")),
    template("prose", introduced("Here is a shader (with a wave):")),
    syntax("last brace lost", lambda text, _: text.rstrip()[:-1]),
    syntax("brace too many", lambda text, _: text.rstrip() + "\n}"),
    syntax("inner paren lost", replaced("vec3(w)", "vec3(w", 1), determined=False),
    syntax("two braces lost", at_first(r"\n    \}\n\}\s*\Z", ""), determined=False),
    undetermined("cut", lambda text, _: text[: text.index("sin(") + 5]),
)


def extra(_rng):
    yield case_of(SPEC, of("void main() { }", {}))
