import ArgumentParser
import Definitions

@main
struct Tablecast: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tablecast",
    abstract: "Serve the items of an HTTP API as live tables.",
    discussion: """
      A YAML file says where items come from and how each kind becomes a cell. Clients read a table once (GET \
      /v1/tables/NAME). Then they wait for changes by long poll (GET /v1/tables/NAME/changes?after=CURSOR&wait=20). Each reply \
      is one changeset that a table view can animate.

        tablecast demo                         a demo, at http://127.0.0.1:8080
        tablecast init URL                     write a configuration for an API
        tablecast check tables.yaml            report all its mistakes at once
        tablecast serve --config tables.yaml   start the service
        tablecast watch URL TABLE              show a table in the terminal

      SIGTERM and SIGINT end the service in order. SIGHUP makes it read its configuration again.
      """,
    version: Release.version,
    subcommands: [
      Serve.self, Initialize.self, Watch.self, Check.self, Render.self, Generate.self, Schema.self, Demo.self,
      Health.self,
      DemoUpstream.self,
    ]
  )
}
