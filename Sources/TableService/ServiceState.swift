import Definitions
import HTTPServer
import TableEngine

/// All that a configuration decides for requests, swapped as one: nobody is let in by one configuration to a table of
/// another.
final class ServiceState: Sendable {
  let authorizer: Authorizer
  let writeOrigins: WriteOrigins
  let catalog: Catalog
  let limits: LimitsDefinition
  let cellsListing: Representation

  init(_ definition: ServiceDefinition, _ catalog: Catalog, isOpen: Bool) {
    authorizer = Authorizer(definition.auth, isOpen: isOpen, tables: definition.tables)
    writeOrigins = WriteOrigins(definition.cors)
    self.catalog = catalog
    limits = definition.limits
    let listing = CellRegistry(definition.cells).listing
    cellsListing = Representation(
      body: listing,
      contentType: "application/json",
      entityTag: contentTag(listing),
      cacheControl: "no-cache"
    )
  }
}
