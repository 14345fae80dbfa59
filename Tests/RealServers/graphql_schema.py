"""A team's members in GraphQL, for Strawberry: pages by cursor, mutations that refuse. What there is outlives the process."""

import json
import os

import strawberry
from strawberry.asgi import GraphQL

FILE = os.environ["GRAPHQL_DATA"]


def load():
    with open(FILE) as file:
        return json.load(file)


def save(members):
    with open(FILE + ".new", "w") as file:
        json.dump(members, file)
    os.replace(FILE + ".new", FILE)


@strawberry.type
class Member:
    id: strawberry.ID
    name: str
    team_id: int | None
    points: float


@strawberry.type
class Team:
    id: int
    name: str


@strawberry.type
class Page:
    nodes: list[Member]
    end_cursor: str | None


def found(members, id):
    for member in members:
        if member["id"] == id:
            return member
    raise ValueError(f"there is no member {id}")


@strawberry.type
class Query:
    @strawberry.field
    def members(self, first: int, after: str | None = None) -> Page:
        start = int(after or 0)
        members = load()
        end = start + first
        return Page(nodes=[Member(**member) for member in members[start:end]],
                    end_cursor=str(end) if end < len(members) else None)

    @strawberry.field
    def teams(self) -> list[Team]:
        return [Team(id=1, name="Red"), Team(id=2, name="Blue")]


@strawberry.type
class Mutation:
    @strawberry.mutation
    def add_member(self, name: str) -> Member:
        members = load()
        if any(member["name"] == name for member in members):
            raise ValueError(f"the name {name} is taken")
        members.append({"id": str(max(int(member["id"]) for member in members) + 1), "name": name, "team_id": None,
                        "points": 0.0})
        save(members)
        return Member(**members[-1])

    @strawberry.mutation
    def rename_member(self, id: strawberry.ID, name: str) -> Member:
        members = load()
        found(members, id)["name"] = name
        save(members)
        return Member(**found(members, id))

    @strawberry.mutation
    def promote(self, id: strawberry.ID, team: str) -> Member:
        members = load()
        found(members, id)["points"] += 1000 if team == "Red" else 10
        save(members)
        return Member(**found(members, id))

    @strawberry.mutation
    def remove_member(self, id: strawberry.ID) -> bool:
        members = load()
        members.remove(found(members, id))
        save(members)
        return True


app = GraphQL(strawberry.Schema(query=Query, mutation=Mutation))
