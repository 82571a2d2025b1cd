import pytest
import supervised_agents


@pytest.fixture(autouse=True)
def _clients_are_closed():
    yield
    while supervised_agents.clients:
        supervised_agents.clients.pop().close()
