"""A risk report from meeting minutes, by a model on Bedrock."""

import csv
import io
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import boto3

MODEL_ID = "eu.anthropic.claude-sonnet-4-20250514-v1:0"
bedrock = boto3.client("bedrock-runtime", region_name="eu-west-1")
s3 = boto3.client("s3")


def converse(prompt, max_tokens=1500):
    response = bedrock.converse(
        modelId=MODEL_ID,
        messages=[{"role": "user", "content": [{"text": prompt}]}],
        inferenceConfig={"maxTokens": max_tokens, "temperature": 0},
    )
    return response["output"]["message"]["content"][0]["text"]


def risks(minutes):
    text = converse(
        "List the risks in these minutes as XML: <report><summary/><risks><risk><name/>"
        f"<score/></risk></risks></report>, score from 1 to 5.\n\n{minutes}"
    )
    root = ET.fromstring(text)
    found = [
        (risk.findtext("name"), int(risk.find("score").text)) for risk in root.findall("risks/risk")
    ]
    return root.find("summary").text, found


def figures(minutes):
    text = converse("The figures named here as CSV with the header region,revenue:\n" + minutes)
    rows = csv.DictReader(io.StringIO(text))
    return {row["region"]: float(row["revenue"]) for row in rows}


def figures_of_last_year(path):
    """Of our own file, in the same form."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return {row["region"]: float(row["revenue"]) for row in csv.DictReader(file)}


def streamed(prompt):
    response = bedrock.converse_stream(
        modelId=MODEL_ID, messages=[{"role": "user", "content": [{"text": prompt}]}]
    )
    for event in response["stream"]:
        if "contentBlockDelta" in event:
            yield event["contentBlockDelta"]["delta"]["text"]


def headline(summary):
    text = "".join(streamed(f"Three headlines, separated by ' | ', for:\n{summary}"))
    first, *_ = text.split(" | ")
    return first


def main(bucket, key):
    minutes = s3.get_object(Bucket=bucket, Key=key)["Body"].read().decode()
    summary, found = risks(minutes)
    print(headline(summary))
    for name, score in sorted(found, key=lambda each: -each[1]):
        print("!" * score, name)
    before = figures_of_last_year("last_year.csv")
    for region, revenue in figures(minutes).items():
        print(region, revenue - before.get(region, 0.0))


if __name__ == "__main__":
    main(*sys.argv[1:3])
