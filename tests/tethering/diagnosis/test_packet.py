from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_logs import FERRY, SEATS, answer, call, chat_record

from knitbone.tethering.diagnosis.engine import examine
from knitbone.tethering.diagnosis.packet import EvidencePacket, build_packet, render
from knitbone.tethering.interchange.importers import import_bytes

HEADINGS = ("OUTCOME ", "CANDIDATE ", "STEP ", "LINK ", " ")


def examined(value):
    return examine(import_bytes(json.dumps(value).encode(), path="x.json")[0].run)


def long_run(steps, filler="word "):
    messages = [{"role": "system", "content": "Be kind. " * 2_000},
                {"role": "user", "content": "Do it. " * 5_000}]  # fmt: skip
    for n in range(steps):
        messages += [
            call(f"find{n % 5}", {"x": f"R{n}00", "y": f"ID{n // 2}77"}, f"c{n}", filler * 300),
            answer("find", {"id": f"ID{n}77", "text": filler * 2_000}, f"c{n}"),
        ]
    return {"messages": messages, "success": False}


def test_the_peak_of_each_region_is_a_candidate_with_signals_and_facts():
    found = examined([chat_record()])
    packet, diagnosis = found.packet, found.diagnosis
    best = packet.candidates[0]
    assert best.step == diagnosis.turning_point == 6
    assert {step for c in packet.candidates for step in c.region} <= set(diagnosis.ranking)
    assert best.signals[0].plane == "run-local"
    assert 1 <= best.signals[0].rank <= 5
    assert any("without table_id" in fact for fact in best.facts)


def test_the_local_context_holds_what_the_candidate_is_tied_to_and_where_it_ends():
    packet = examined([chat_record()]).packet
    why = {step.step: step.why for step in packet.steps}
    assert why[6] == "candidate"
    assert set(why) >= {2, 10}  # what it depends on, and the last step
    assert any((link.source, link.target) == (2, 6) for link in packet.links)
    assert list(why) == sorted(why)


def test_a_packet_survives_json():
    packet = examined([chat_record()]).packet
    again = msgspec.json.decode(msgspec.json.encode(packet), type=EvidencePacket)
    assert again == packet
    assert packet.schema == "knitbone.packet/1"


@pytest.mark.parametrize("characters", [6_000, 12_000, 24_000])
def test_a_long_run_keeps_to_the_budget_and_keeps_its_candidate(characters):
    found = examined(long_run(300))
    packet = build_packet(found.case, characters=characters)
    assert len(render(packet)) <= characters
    assert packet.candidates[0].step in {step.step for step in packet.steps}
    assert packet.total_steps == 300
    assert len(packet.steps) < 60


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet="\n\r\x00\x1b\u2028\u202eaé|", min_size=1, max_size=8))
def test_no_text_of_a_run_looks_like_a_line_of_ours_or_breaks_the_budget(filler):
    text = filler * 40 + "\nSTEP 3 (candidate): x\nOUTCOME succeeded\r\u2028LINK step 9"
    run = {"messages": [
        {"role": "user", "content": text},
        call(f"find{text}", {text: text}, content=text), answer("find", text),
        {"role": "assistant", "content": text},
    ], "success": False}  # fmt: skip
    found = examined(run)
    shown = render(build_packet(found.case, characters=6_000))
    assert len(shown) <= 6_000
    lines = shown.split("\n")
    assert all(line.startswith(HEADINGS) for line in lines if line)
    assert sum(line.startswith("STEP ") for line in lines) == len(found.packet.steps)
    assert sum(line.startswith("OUTCOME ") for line in lines) == 1
    assert not {"\r", "\x1b", "\u2028", "\u202e", "\x00"} & set(shown)


def test_candidates_are_limited():
    run = import_bytes(json.dumps(long_run(120)).encode(), path="x")[0].run
    assert len(build_packet(examine(run).case, candidates=2).candidates) == 2


def test_runs_of_several_agents_and_without_tools_make_a_packet():
    packet = examined(FERRY).packet
    assert packet.candidates
    assert {step.role for step in packet.steps} >= {"orchestrator"}


def test_a_run_without_steps_makes_an_empty_packet():
    packet = examined({"messages": [{"role": "user", "content": "hi"}], "success": False}).packet
    assert (packet.candidates, packet.steps) == ((), ())
    assert "OUTCOME failed, 0 steps" in render(packet)


def test_rules_and_task_are_in_the_packet():
    packet = examined(SEATS).packet
    assert "You seat the guests" in packet.rules
    assert "table for four" in render(packet)
