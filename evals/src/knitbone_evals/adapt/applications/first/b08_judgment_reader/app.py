import abc
import os
import re
from datetime import datetime
from decimal import Decimal

from openai import OpenAI


class AbstractModelGateway(abc.ABC):
    @abc.abstractmethod
    def sendInstruction(self, instruction: str, document: str) -> str:
        ...


class ResponsesModelGateway(AbstractModelGateway):
    """Gateway implementation over the Responses endpoint."""

    def __init__(self, modelName: str):
        self.__modelName = modelName
        self.__client = None

    def getClient(self) -> OpenAI:
        if self.__client is None:
            self.__client = OpenAI(
                base_url=os.environ["OPENAI_BASE_URL"],
                api_key=os.environ.get("OPENAI_API_KEY", "none"),
            )
        return self.__client

    def sendInstruction(self, instruction: str, document: str) -> str:
        response = self.getClient().responses.create(
            model=self.__modelName,
            instructions=instruction,
            input=document,
        )
        return response.output_text


class JudgmentBean:
    def __init__(self):
        self._caseNumber = None
        self._decided = None
        self._award = None
        self._currency = None
        self._appealDays = None

    def setCaseNumber(self, v): self._caseNumber = v
    def setDecided(self, v): self._decided = v
    def setAward(self, v): self._award = v
    def setCurrency(self, v): self._currency = v
    def setAppealDays(self, v): self._appealDays = v

    def toMap(self) -> dict:
        return {
            "caseNumber": self._caseNumber,
            "decided": self._decided.strftime("%Y-%m-%d"),
            "awardMinor": int(self._award * 100),
            "currency": self._currency,
            "appealDays": self._appealDays,
        }


class JudgmentParser:
    PATTERN = re.compile(
        r"^(?P<number>[A-Z]{2}-\d{4}-\d{4}); "
        r"(?P<decided>\d{2}/\d{2}/\d{4}); "
        r"(?P<currency>EUR|GBP|CHF) (?P<award>\d+\.\d{2}); "
        r"(?P<days>\d+)$"
    )

    def parse(self, raw: str) -> JudgmentBean:
        matcher = self.PATTERN.match(raw.strip())
        if matcher is None:
            raise ValueError("IllegalFormat: " + raw)
        bean = JudgmentBean()
        bean.setCaseNumber(matcher.group("number"))
        bean.setDecided(datetime.strptime(matcher.group("decided"), "%d/%m/%Y"))
        bean.setAward(Decimal(matcher.group("award")))
        bean.setCurrency(matcher.group("currency"))
        bean.setAppealDays(int(matcher.group("days")))
        return bean


class JudgmentServiceFactory:
    INSTRUCTION = (
        "Summarise the judgment in a single line of four fields separated by '; ':\n"
        "case number; date of decision as DD/MM/YYYY; sum awarded as ISO currency code and amount with two decimals "
        "(no thousands separator); days left to appeal as a number.\n"
        "Example: HC-2020-0001; 31/01/2020; EUR 1500.00; 30"
    )

    @staticmethod
    def createService():
        gateway = ResponsesModelGateway("gpt-4.1-mini")
        parser = JudgmentParser()

        class JudgmentServiceImpl:
            def process(self, document: str) -> JudgmentBean:
                return parser.parse(gateway.sendInstruction(JudgmentServiceFactory.INSTRUCTION, document))

        return JudgmentServiceImpl()


def run(request: str):
    return JudgmentServiceFactory.createService().process(request).toMap()
