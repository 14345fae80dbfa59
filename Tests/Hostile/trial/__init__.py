"""What the attacks of `../table` are written with."""
from .attack import TABLE, Attack, CannotTry, NotHeld, attack, holds, missing, neighbour
from .postgres import Postgres
from .service import EDITOR, READER, TOKENS, Service, Upstream, configuration, token
from .wire import Answer, Wire, ask, request
