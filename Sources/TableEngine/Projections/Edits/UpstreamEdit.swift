import Definitions
import Foundation
import TableModel
import Upstream

/// A client's edit of an upstream's item, and where it is sent to.
struct UpstreamEdit: Sendable {
  let request: EditRequest
  let plan: ForwardingPlan
  let source: PolledSource
  /// How many edits the upstream had accepted then.
  let mark: UInt64
  /// Held until the edit is answered: it knows what is put in its place meanwhile.
  let owner: LiveTable
  private let definition: TableDefinition
  /// The caller's own, as far as the table forwards them.
  private let fields: ForwardedFields

  /// - Throws: where the table has no such source, as it has ended or is only being made: the next request finds another one,
  ///   or none.
  init(
    _ request: EditRequest,
    _ plan: ForwardingPlan,
    _ definition: TableDefinition,
    of owner: LiveTable?
  ) throws(TableError) {
    guard let owner, let source = owner.sources.first(where: { $0.name == plan.source }) else {
      throw owner?.departure ?? .isMadeAnew(definition.name)
    }
    (self.request, self.plan, self.definition, self.owner, self.source) = (request, plan, definition, owner, source)
    mark = source.acceptedCount
    fields = request.caller.forwarded(by: definition)
  }

  /// One after the other where the version counts: what comes behind is built on what this one made.
  var isConditional: Bool { request.preconditions.condition.map { $0 != .any } ?? false }

  private var sendsCredentials: Bool { source.sends(fields, of: definition).haveCredentials }

  /// Whom nobody here allowed is judged by the upstream, and can be only by what it is really sent.
  var refusal: TableError? {
    if case .callersCredentials(let error) = request.authority, !sendsCredentials { error } else { nil }
  }

  func send(_ completion: @escaping @Sendable (EditOutcome) -> Void) {
    let edit = plan.edit(request.preconditions.idempotency?.key ?? UUID().uuidString)
    let parameters = owner.reference.parameters.map { ($0.name, $0.value) }
    source.forward(
      edit,
      as: plan.request,
      parameters: Dictionary(parameters) { first, _ in first },
      caller: fields,
      of: definition,
      completion
    )
  }

  /// An upstream's own words where it answered; else the kind of failure and the host, without where it is asked.
  private func told(_ error: UpstreamError) -> UpstreamError {
    guard error.status == nil, error.kind != .unusableRequest else { return error }
    var told = error
    (told.title, told.detail) = error.publicWords(at: source.definition)
    return told
  }

  /// Returns the client's error for an edit that was not accepted; nil if it was.
  func failure(_ outcome: EditOutcome) -> TableError? {
    switch outcome {
    case .accepted: return nil
    case .refused(let error):
      // A demand to authenticate is meant for the caller only where its own credentials were sent.
      let isService = error.status == 401 && !sendsCredentials
      return request.blaming(TableError(error, .upstream, passingOn: !isService))
    // A value of the caller or the item can't be put into the request: nothing was sent.
    case .failed(let error) where error.kind == .unusableValue: return request.blaming(TableError(error, .impossible))
    case .failed(let error): return TableError(told(error), .upstream)
    case .unknown(let error):
      let told = told(error)
      let words = told.detail.hasSuffix(".") ? told.detail : told.detail + "."
      return TableError(
        .unanswered,
        title: told.title,
        detail: "\(words) Whether the edit was carried out is not known; the table is being refreshed."
      )
    }
  }
}

extension EditRequest {
  /// The one edit of a batch is to blame.
  func blaming(_ error: TableError) -> TableError { isBatch && edits.count == 1 ? error.ofEdit(0) : error }
}
