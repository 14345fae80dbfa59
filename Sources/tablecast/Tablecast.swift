import ArgumentParser
import Definitions

@main
struct Tablecast: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tablecast",
    abstract: "Serves table view-models: an API's items as sections of typed cells, and their changes by long poll.",
    discussion: """
      A YAML file says where items come from and how each kind becomes a cell. Clients read a table once
      (GET /v1/tables/NAME) and follow it by long poll (GET /v1/tables/NAME/changes?after=CURSOR&wait=20): every
      reply is one changeset that a table view animates.

        tablecast demo                           an airport's departures, at http://127.0.0.1:8080
        tablecast init https://HOST/LIST         a configuration for an API that nobody has described
        tablecast check tables.yaml              every mistake in a configuration, at once
        tablecast serve --config tables.yaml     the service
        tablecast watch http://HOST:PORT TABLE   a table of a service, live in the terminal

      Signals: SIGTERM and SIGINT end it in order, SIGHUP reads the configuration again.
      """,
    version: Release.version,
    subcommands: [
      Serve.self, Initialize.self, Watch.self, Check.self, Render.self, Generate.self, Schema.self, Demo.self,
      Health.self,
      DemoUpstream.self,
    ]
  )
}
