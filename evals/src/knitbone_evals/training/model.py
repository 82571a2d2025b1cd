"""The heterogeneous graph transformer (Hu et al., WWW 2020), small and exportable.

Written in plain PyTorch and not with PyTorch Geometric: the layer is forty lines, and the
library's typed graphs and compiled scatter kernels do not export to ONNX with sizes left open.
Attention needs no maximum over a node's neighbours: the logits are bounded instead, which keeps
every step a gather, a product or an index-add, linear in nodes and edges.

Loads torch.
"""

from __future__ import annotations

import math
from typing import Any, get_args

from knitbone.tethering.diagnosis.behaviour import FIELDS, REPETITIONS
from knitbone.tethering.diagnosis.detect.arrays import (
    AGREEMENTS,
    CANDIDATES,
    NUMBERS,
    RELATIONS,
    USES,
)
from knitbone.tethering.diagnosis.provenance import NEAR, ValueKind
from knitbone_evals.extras import import_extra

torch: Any = import_extra("torch", purpose="Training the offline detector")
nn: Any = torch.nn

__all__ = ["HIDDEN", "INPUTS", "OUTPUTS", "BehaviourTransformer"]

HIDDEN = 52
"""AgentTether §IV.A."""
HEADS = 4
LAYERS = 2
_BOUND = 12.0
"""Attention logits stay within this: exp() of it neither overflows nor vanishes in 32 bits."""

INPUTS = (
    "unit_fields", "unit_numbers", "value_kinds", "value_numbers", "value_owners",
    "result_numbers", "message_numbers", "query_numbers", "candidates",
    *("edges_" + name.replace(" ", "_") for name in RELATIONS),
)  # fmt: skip
OUTPUTS = (*FIELDS, "repetition", "uses", "succession", "origin")
"""Log-probabilities, one row a unit (padding first); ``origin``: one row a value."""


class _Layer(nn.Module):
    """One round of heterogeneous mutual attention and message passing."""

    def __init__(self) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        width = HIDDEN // HEADS
        self.project = nn.ModuleDict({node: nn.Linear(HIDDEN, 3 * HIDDEN) for node in NUMBERS})
        self.out = nn.ModuleDict({node: nn.Linear(HIDDEN, HIDDEN) for node in NUMBERS})
        self.norm = nn.ModuleDict({node: nn.LayerNorm(HIDDEN) for node in NUMBERS})
        self.skip = nn.ParameterDict({node: nn.Parameter(torch.ones(1)) for node in NUMBERS})
        scale = 1 / math.sqrt(width)
        names = [name.replace(" ", "_") for name in RELATIONS]
        self.attend = nn.ParameterDict(
            {name: nn.Parameter(torch.randn(HEADS, width, width) * scale) for name in names}
        )
        self.carry = nn.ParameterDict(
            {name: nn.Parameter(torch.randn(HEADS, width, width) * scale) for name in names}
        )
        self.prior = nn.ParameterDict({name: nn.Parameter(torch.zeros(HEADS)) for name in names})

    def forward(self, nodes: dict[str, Any], edges: dict[str, Any]) -> dict[str, Any]:
        width = HIDDEN // HEADS
        parts: dict[str, Any] = {}
        for node, rows in nodes.items():
            parts[node] = self.project[node](rows).view(-1, 3, HEADS, width)
        total = {node: torch.zeros_like(rows) for node, rows in nodes.items()}
        weight = {n: torch.zeros_like(rows[:, :HEADS]) for n, rows in nodes.items()}
        for relation, (source, target) in RELATIONS.items():
            name = relation.replace(" ", "_")
            start, end = edges[name][0], edges[name][1]
            keys = torch.einsum("nhd,hde->nhe", parts[source][:, 0], self.attend[name])
            told = torch.einsum("nhd,hde->nhe", parts[source][:, 1], self.carry[name])
            asked = parts[target][:, 2].index_select(0, end)
            logits = (keys.index_select(0, start) * asked).sum(-1) / math.sqrt(width)
            strength = torch.exp(_BOUND * torch.tanh((logits + self.prior[name]) / _BOUND))
            message = told.index_select(0, start) * strength.unsqueeze(-1)
            weight[target] = _add(weight[target], end, strength)
            total[target] = _add(total[target], end, message.reshape(-1, HIDDEN))
        after: dict[str, Any] = {}
        for node, rows in nodes.items():
            mean = total[node].view(-1, HEADS, width) / (weight[node].unsqueeze(-1) + 1e-6)
            new = self.out[node](nn.functional.gelu(mean.reshape(-1, HIDDEN)))
            gate = torch.sigmoid(self.skip[node])
            after[node] = self.norm[node](gate * new + (1 - gate) * rows)
        return after


def _add(rows: Any, places: Any, added: Any) -> Any:
    """Sum rows into places that may repeat; ``index_add`` would lose repetitions in ONNX."""
    return rows.scatter_add(0, places.unsqueeze(-1).expand(-1, added.shape[1]), added)


class BehaviourTransformer(nn.Module):
    """Recovers the hidden fields and edges of units from what surrounds them."""

    def __init__(self) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self.fields = nn.ModuleList(
            [nn.Embedding(len(names) + 1, HIDDEN) for names in FIELDS.values()]
        )  # one more class each: hidden
        self.kinds = nn.Embedding(len(get_args(ValueKind)), HIDDEN)
        self.numbers = nn.ModuleDict(
            {node: nn.Linear(width, HIDDEN) for node, width in NUMBERS.items()}
        )
        self.layers = nn.ModuleList([_Layer() for _ in range(LAYERS)])
        self.recover = nn.ModuleList(
            [_head(HIDDEN, len(names)) for names in (*FIELDS.values(), REPETITIONS, USES)]
        )
        self.succession = _head(HIDDEN, len(FIELDS["family"]))
        self.origin = _head(2 * HIDDEN, CANDIDATES * AGREEMENTS)
        self.query = nn.Linear(2 * HIDDEN, HIDDEN)

    def forward(self, *inputs: Any) -> tuple[Any, ...]:
        """The inputs in the order of ``INPUTS``, the outputs in the order of ``OUTPUTS``."""
        given = dict(zip(INPUTS, inputs, strict=True))
        nodes = self._encode(given)
        edges = {n.removeprefix("edges_"): e for n, e in given.items() if n.startswith("edges_")}
        for layer in self.layers:
            nodes = layer(nodes, edges)
        logits = [head(nodes["unit"]) for head in self.recover]
        logits.append(self.succession(nodes["query"]))
        logits.append(self._origins(nodes, given["value_owners"], given["candidates"]))
        return tuple(torch.log_softmax(rows, dim=-1) for rows in logits)

    def _encode(self, given: dict[str, Any]) -> dict[str, Any]:
        nodes = {node: self.numbers[node](given[f"{node}_numbers"]) for node in NUMBERS}
        for k, embedding in enumerate(self.fields):
            nodes["unit"] = nodes["unit"] + embedding(given["unit_fields"][:, k])
        nodes["value"] = nodes["value"] + self.kinds(given["value_kinds"])
        return nodes

    def _origins(self, nodes: dict[str, Any], owners: Any, candidates: Any) -> Any:
        """Edge reconstruction: which earlier node a value came from, and in what agreement."""
        own = torch.cat([nodes["value"], nodes["unit"].index_select(0, owners)], dim=-1)
        query = self.query(own)
        fits = [torch.zeros_like(query[:, 0])]
        for k in range(1, CANDIDATES):
            node = "message" if k < 4 else "unit" if k == 5 + NEAR else "result"
            fits.append(
                (query * nodes[node].index_select(0, candidates[:, k])).sum(-1) / math.sqrt(HIDDEN)
            )
        fit = torch.stack(fits, dim=-1) - 1e4 * (candidates == 0).to(query.dtype)
        logits = self.origin(own).view(-1, CANDIDATES, AGREEMENTS) + fit.unsqueeze(-1)
        return logits.view(-1, CANDIDATES * AGREEMENTS)


def _head(width: int, classes: int) -> Any:
    return nn.Sequential(nn.Linear(width, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, classes))
