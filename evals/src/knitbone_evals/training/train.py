"""Train the offline detector on successful runs and export it:

    python -m knitbone_evals.training.train CORPUS

Writes the two models into the package, with their checksums. The same corpus, seed and torch give
the same files. Minutes on one core.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from knitbone.tethering.diagnosis.behaviour import FIELDS, behaviour_of
from knitbone.tethering.diagnosis.detect.arrays import (
    CANDIDATE_NODES,
    FOLDS,
    NUMBERS,
    RELATIONS,
    Arrays,
    RunArrays,
    arrays_of,
    forward_only,
    masked,
)
from knitbone.tethering.diagnosis.detect.offline import MODEL
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.units import build_units
from knitbone_evals.extras import import_extra
from knitbone_evals.training import WITHOUT_AGENTDOJO, agentdojo_source
from knitbone_evals.training.model import INPUTS, OUTPUTS, BehaviourTransformer
from knitbone_evals.training.prepare import SEED, SuccessfulRun, read_corpus

torch: Any = import_extra("torch", purpose="Training the offline detector")

__all__ = ["BATCH", "EPOCHS", "fit", "main", "merge", "run_arrays"]

EPOCHS = 20
BATCH = 128
"""Runs in a batch. Epochs and batch: AgentTether §IV.A."""
RATE = 3e-3
LEFT_OUT: dict[Path, frozenset[str]] = {
    MODEL: frozenset(),
    WITHOUT_AGENTDOJO: frozenset({agentdojo_source.SOURCE}),
}
"""Sources that a model does not learn from. ``MODEL`` is the shipped one."""


def run_arrays(record: SuccessfulRun) -> RunArrays:
    """A corpus run in the schema."""
    return arrays_of(behaviour_of(build_graph(build_units(record.run))))


def fit(
    runs: Sequence[RunArrays], *, seed: int = SEED, epochs: int = EPOCHS, batch: int = BATCH
) -> Any:
    """A ``BehaviourTransformer`` of these runs; deterministic."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)  # faster than two for products this small, and one order of sums
    choose = random.Random(seed)
    model: Any = BehaviourTransformer()
    steps = epochs * -(-len(runs) // batch)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=RATE, total_steps=steps)
    for epoch in range(epochs):
        order = list(range(len(runs)))
        choose.shuffle(order)
        total = 0.0
        for start in range(0, len(order), batch):
            chosen = [runs[k] for k in order[start : start + batch]]
            shown = merge(chosen)
            folds = np.concatenate(
                [np.full(len(r.fields), choose.randrange(FOLDS)) for r in chosen]
            )
            loss = _loss(model, shown, shown.ordinals % FOLDS == folds)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1}/{epochs}  loss {total * batch / len(runs):.4f}")
    return model.eval()


def merge(parts: Sequence[RunArrays]) -> RunArrays:
    """Several runs side by side, as one graph of unconnected parts."""
    sizes = [
        {"unit": len(p.fields), "value": len(p.kinds), "result": len(p.fields),
         "query": len(p.fields), "message": len(p.numbers["message"])}
        for p in parts
    ]  # fmt: skip
    starts = {
        node: np.cumsum([0, *(size[node] for size in sizes)])[:-1].astype(np.int64)
        for node in NUMBERS
    }
    edges = {
        name: np.concatenate(
            [
                p.edges[name] + np.array([[starts[ends[0]][k]], [starts[ends[1]][k]]])
                for k, p in enumerate(parts)
            ],
            axis=1,
        )
        for name, ends in RELATIONS.items()
    }
    return RunArrays(
        fields=np.concatenate([p.fields for p in parts]),
        numbers={n: np.concatenate([p.numbers[n] for p in parts]) for n in NUMBERS},
        kinds=np.concatenate([p.kinds for p in parts]),
        owners=np.concatenate([p.owners + starts["unit"][k] for k, p in enumerate(parts)]),
        edges=edges,
        edge_units={
            name: np.concatenate(
                [np.where(p.edge_units[name] < 0, -1, p.edge_units[name] + starts["unit"][k])
                 for k, p in enumerate(parts)], axis=1,
            )
            for name in RELATIONS
        },
        candidates=np.concatenate(
            [
                np.where(
                    p.candidates < 0, -1,
                    p.candidates + np.array([starts[t][k] if t else 0 for t in CANDIDATE_NODES]),
                )
                for k, p in enumerate(parts)
            ]
        ),
        origin=np.concatenate([p.origin for p in parts]),
        repetition=np.concatenate([p.repetition for p in parts]),
        uses=np.concatenate([p.uses for p in parts]),
        ordinals=np.concatenate([p.ordinals for p in parts]),
    )  # fmt: skip


def _loss(model: Any, run: RunArrays, hidden: Any) -> Any:
    """Edge reconstruction and masked fields of the hidden units, and what comes next."""
    said = _said(model, masked(run, hidden))
    rows = torch.from_numpy(np.flatnonzero(hidden))
    fields = {name: run.fields[:, k] for k, name in enumerate(FIELDS)}
    targets = {**fields, "repetition": run.repetition, "uses": run.uses}
    losses = [_negative(said[n][rows + 1], torch.from_numpy(t)[rows]) for n, t in targets.items()]
    values = torch.from_numpy(np.flatnonzero(hidden[run.owners]))
    losses.append(_negative(said["origin"][values + 1], torch.from_numpy(run.origin)[values]))
    said = _said(model, forward_only(run))
    losses.append(_negative(said["succession"][1:], torch.from_numpy(fields["family"])))
    return torch.stack(losses).sum()


def _said(model: Any, arrays: Arrays) -> dict[str, Any]:
    outputs = model(*(torch.from_numpy(arrays[name]) for name in INPUTS))
    return dict(zip(OUTPUTS, outputs, strict=True))


def _negative(said: Any, target: Any) -> Any:
    return torch.nn.functional.nll_loss(said, target)


def _write_fixture(model: Any, run: RunArrays, path: Path) -> None:
    """Inputs and PyTorch's outputs, for the test of the shipped file where torch is missing."""
    arrays = masked(run, run.ordinals % FOLDS == 1)
    with torch.no_grad():
        outputs = {f"out {name}": rows.numpy() for name, rows in _said(model, arrays).items()}
    np.savez_compressed(path, **arrays, **outputs)  # pyright: ignore[reportArgumentType]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("corpus", type=Path, help="what `prepare` wrote")
    parser.add_argument("--output", type=Path, help="folder of the files, in place of their own")
    parser.add_argument("--fixture", type=Path, help="inputs and PyTorch's answers, for a test")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    from knitbone_evals.training.export import export  # noqa: PLC0415 - it loads onnx

    successful, _ = read_corpus(options.corpus)
    learnt = [record for record in successful if record.split == "train"]
    for place, left_out in LEFT_OUT.items():
        runs = [run_arrays(record) for record in learnt if record.source not in left_out]
        path = options.output / place.name if options.output else place
        model = fit(runs, seed=options.seed)
        export(model, runs[0], path)
        if options.fixture and place == MODEL:
            _write_fixture(model, runs[0], options.fixture)
        facts: dict[str, object] = {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "runs": len(runs),
            "tasks": len({r.task for r in learnt if r.source not in left_out}),
            "seed": options.seed,
            "torch": torch.__version__,
            "corpus": json.loads((options.corpus / "summary.json").read_text("utf-8"))["sha256"],
        }
        print(f"{len(runs)} runs -> {path}")
        told = path.with_name("models.json")
        known = json.loads(told.read_text("utf-8")) if told.exists() else {}
        text = json.dumps({**known, path.stem: facts}, indent=1) + "\n"
        told.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
