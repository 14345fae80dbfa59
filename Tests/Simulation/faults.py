#!/usr/bin/env python3
"""Faults that the simulation has to find, put into the service's code one at a time.

    make faults                     puts them in, builds, takes them out, and looks for each; FAULTS="gate fence" SECONDS=600 JOBS=2

    faults.py put                   puts all of them into Sources, each behind a value of the environment's variable FAULT
    faults.py check                 says which of them do not fit the code any more

    faults.py take                  takes them out again (git checkout of the files that `put` has changed)
    faults.py run [NAME ...]        runs PROGRAM, which was built in between, with each fault, until it finds something
        --program PATH --seconds S (of a core) --jobs N --seed S

The number is that of the list *Wrong today* which the work on the engine began with; the others are of our own.
"""
import argparse, concurrent.futures, os, pathlib, re, subprocess, sys, tempfile, time

TREE = pathlib.Path(__file__).resolve().parents[2]
SWITCH = 'import Foundation\n\nlet fault = ProcessInfo.processInfo.environment["FAULT"] ?? ""\n'
SWITCHES = [f"Sources/{m}/Fault.swift" for m in ("TableEngine", "TableMapping", "TableStore", "TablecastClient")] + ["Tests/Simulation/Fault.swift"]
SWITCHED = {path: SWITCH for path in SWITCHES}
SWITCHED[SWITCHES[0]] = "import Foundation\nimport TableModel\nimport TableStore\n\n" + SWITCH.split("\n\n", 1)[1]
ENGINE, STORE = "Sources/TableEngine/", "Sources/TableStore/"


class Fault:
    def __init__(self, name, words, *changes, replicas=False, number=None):
        self.name, self.words, self.changes = name, words, changes
        self.replicas, self.number = replicas, number


STANDING = ENGINE + "Readers/TableReader+Standing.swift"
BARRIER = ENGINE + "Commit/ReadBarrier.swift"
STORING = ENGINE + "Commit/TableWriter+Storing.swift"
FOLLOWING = ENGINE + "Commit/TableWriter+Following.swift"
RECORD = ENGINE + "Inputs/StoredRecord.swift"
LOGS = ENGINE + "Inputs/ItemLogs.swift"
LOADING = ENGINE + "Catalog/Engine+Loading.swift"
STARTING = ENGINE + "Commit/TableWriter+Starting.swift"
INPUTS = ENGINE + "Projections/TableContent+Inputs.swift"
WRITER = STORE + "SQLite/StoreWriter.swift"

FAULTS = [
    Fault("refresh", "a refresh is answered before what was fetched is stored",
          (ENGINE + "Catalog/Engine+Refreshing.swift", "        let shown = original.latest.untranslated\n",
           "        let shown = original.latest.untranslated\n        if fault == \"refresh\" { return completion(.success(table)) }\n"),
          number=1),
    Fault("digest", "two processes make two digests of one configuration",
          (ENGINE + "Replicas/ConfigurationDigest.swift", "hexadecimal(definition.contents.tables.prefix(16)))",
           "hexadecimal(definition.contents.tables.prefix(16)) + (fault == \"digest\" ? \"\\(UInt8.random(in: 0...1))\" : \"\"))"),
          replicas=True, number=2),
    Fault("epoch", "what is known of two versions is kept without their epoch",
          (STANDING, "FirstAffectedRows.Pair(from: old.cursor, to: new.cursor,",
           "FirstAffectedRows.Pair(from: unepoched(old.cursor), to: unepoched(new.cursor),"),
          (ENGINE + "Readers/Replies/FirstAffectedRows.swift", "{ to.epoch == version.epoch &&",
           "{ (fault == \"epoch\" || to.epoch == version.epoch) &&"),
          (ENGINE + "Fault.swift", None, """
func unepoched(_ cursor: Cursor) -> Cursor {
  fault == "epoch" ? Cursor(epoch: Epoch(rawValue: 1), version: cursor.version) : cursor
}
"""), replicas=True, number=5),
    Fault("barrier", "reads don't wait for what is under way",
          (ENGINE + "Commit/TableWriter.swift", "  var needsReadBarrier: Bool {\n",
           "  var needsReadBarrier: Bool {\n    if fault == \"barrier\" { return false }\n"),
          number=6),
    Fault("remembered", "a replica that begins to ask an upstream keeps what that said to it before",
          (ENGINE + "Inputs/SourceListeners.swift", "  func forget() { last.access",
           "  func forget() { if fault == \"remembered\" { return }; last.access"),
          replicas=True),
    Fault("renamed", "the store goes on after a sync that failed while a record was given another name",
          (STORE + "SQLite/SQLiteStore.swift", "completion(Result { try writer.perform { try body(db, &$0) } }",
           "completion(Result { fault == \"renamed\" ? try body(db, &writer) : try writer.perform { try body(db, &$0) } }")),
    Fault("superseded", "a condition is not judged again when an edit was superseded",
          (ENGINE + "Commit/ItemChange.swift", "    guard case .oneOf? = request.preconditions.condition else { return nil }\n",
           "    guard fault != \"superseded\", case .oneOf? = request.preconditions.condition else { return nil }\n"),
          replicas=True, number=7),
    Fault("inputs-back", "the inputs of a version are neither compared nor stored",
          (INPUTS, "    !areInputsInDoubt", "    fault == \"inputs-back\" || !areInputsInDoubt"),
          (INPUTS, "{ inputRevisions.isEmpty ? nil : inputRevisions }", "{ fault == \"inputs-back\" || inputRevisions.isEmpty ? nil : inputRevisions }"),
          replicas=True, number=8),
    Fault("inputs", "a look asks where the table stands, not where the items do that it is made of",
          (BARRIER, "    for input in inputs { input", "    for input in inputs where fault != \"inputs\" { input"),
          replicas=True, number=9),
    Fault("look", "a look at the database that failed counts as one that succeeded",
          (RECORD, "for completion in told { completion(outcome) }", "for completion in told { completion(fault == \"look\" ? .read : outcome) }"),
          replicas=True, number="10, 11"),
    Fault("gate", "what a table has to show during a reload is dropped, not kept until the reload is over",
          (STORING, "    guard !content.access({ $0.gate.await(retry) }) else { return }",
           "    guard fault == \"gate\" || !content.access({ $0.gate.await(retry) }) else { return }"), number=13),
    Fault("adopt", "new tables are in the catalog before they follow their items",
          (LOADING, "    if !alreadyBegun, let error = await beginTables(of: next) {",
           "    if fault != \"adopt\", !alreadyBegun, let error = await beginTables(of: next) {"),
          (LOADING, "    adopted.withLock { $0 = catalog }\n", "    adopted.withLock { $0 = catalog }\n    if fault == \"adopt\", !alreadyBegun { _ = await beginTables(of: next) }\n")),
    Fault("begin", "a read doesn't wait for a first version that could not be stored",
          (STARTING, "    following.add(1, ordering: .acquiringAndReleasing)\n", "    if fault != \"begin\" { following.add(1, ordering: .acquiringAndReleasing) }\n"),
          (STARTING, "      followed(error)\n", "      if fault != \"begin\" { followed(error) }\n")),
    Fault("again", "what other tables did to the items is not shown again when an edit is undone",
          (STORING, "    guard let log, isStored else { return }\n    following.add", "    guard let log, isStored, fault != \"again\" else { return }\n    following.add")),
    Fault("unshown", "reads don't wait for a version that could not be stored",
          (BARRIER, "guard !writer.isBehindInputs ", "guard fault == \"unshown\" || !writer.isBehindInputs ")),
    Fault("tap", "a tap is made before its answer is stored",
          (ENGINE + "Commit/RowTap.swift", "    writer.answers.store(reply) { error in\n",
           "    if fault == \"tap\" {\n      tap()\n      return writer.answers.store(reply) { _ in }\n    }\n    writer.answers.store(reply) { error in\n")),
    Fault("chain", "an edit is answered by the first table that took its table's place, which is gone",
          (ENGINE + "Projections/LiveTable+Lifecycle.swift", "    let last = latest\n", "    if fault == \"chain\", let next = successor.withLock({ $0 }) { return next }\n    let last = latest\n")),
    Fault("fence", "answers of sources are written without the fence of the lease, whatever is stored by then",
          (STORING, "    commit.fence = fence\n", "    commit.fence = fault == \"fence\" ? nil : fence\n"),
          (STORING, "      commit.base = content.record.base\n", "      commit.base = fault == \"fence\" && !isEdit ? nil : content.record.base\n"), replicas=True),
    Fault("caller", "members of all callers have one key",
          (ENGINE + "Families/TableFamily.swift", "+ forwarded.bytes,", "+ (fault == \"caller\" ? [] : forwarded.bytes),")),
    Fault("search", "polls with a search are not woken",
          (ENGINE + "Readers/TableReader+Finding.swift", "    guard let search = kind.find else {\n      return firstAffectedRow",
           "    if fault == \"search\" { return false }\n    guard let search = kind.find else {\n      return firstAffectedRow")),
    Fault("standing", "what a search finds is said to be unchanged over forgotten versions",
          (ENGINE + "Readers/Finding/FoundStandings.swift", "    return !standing.changes.contains", "    return fault == \"standing\" || !standing.changes.contains")),
    Fault("lookup", "what a table looks up is not followed",
          (ENGINE + "Commit/TableWriter+Inputs.swift", "func followItems() { for log in logs { log.add(self) } }",
           "func followItems() { for log in logs where fault != \"lookup\" || log === self.log { log.add(self) } }")),
    Fault("middle", "a change of the last forgotten row before a window counts as outside",
          (ENGINE + "Readers/ForgottenChanges.swift", "rows.upperBound > window.from }", "rows.upperBound > window.from + (fault == \"middle\" ? 1 : 0) }")),
    Fault("views", "a read in a view doesn't ask the store for what was tapped elsewhere",
          (ENGINE + "Projections/LiveTable.swift", "      guard outcome != .late, let view,", "      guard fault != \"views\", outcome != .late, let view,"), replicas=True),
    Fault("older", "a replica of an older configuration answers reads before the others have laid an edit out",
          (BARRIER, "    guard context.replica.refusal == nil else { return askLeader(completion) }",
           "    guard context.replica.refusal == nil else { return fault == \"older\" ? completion(.read) : askLeader(completion) }"), replicas=True),
    Fault("redo", "what is made again after a failed commit has its turn behind what waits",
          (ENGINE + "Commit/CommitsUnderWay.swift", "      calls += redone + undone + waiting\n",
           "      calls += fault == \"redo\" ? waiting + redone + undone : redone + undone + waiting\n")),
    Fault("first", "the first version of a table that a reload makes lacks what was committed meanwhile",
          (STARTING, "    let newer = isKnown || isNewer ? prepare", "    let newer = isKnown || isNewer && fault != \"first\" ? prepare")),
    Fault("left", "reads wait for a version that is no longer this replica's to store",
          (STORING, "  private func leaveToOthers() { if isShared {", "  private func leaveToOthers() { if isShared, fault != \"left\" {"), replicas=True),
    Fault("lost", "in a new epoch a table is laid out with items that the database has lost",
          (FOLLOWING, "    (logs as [any StoredRecord]).lookForNews(", "    (fault == \"lost\" ? [] : logs as [any StoredRecord]).lookForNews("),
          replicas=True, number=12),
    Fault("said", "after a promotion the leader waits until its upstream changes",
          (FOLLOWING, "    guard context.replica.isLeading, let table =", "    guard fault != \"said\", context.replica.isLeading, let table ="),
          (FOLLOWING, "shown: versions.current.table, isLeading: isLeading)\n      }\n    }\n    // Who",
           "shown: versions.current.table, isLeading: fault != \"said\" && isLeading)\n      }\n    }\n    // Who"),
          replicas=True, number=12),
    Fault("undone", "what a failed version took along of the items is not shown by itself",
          (ENGINE + "Commit/TableWriter+Inputs.swift", "guard content.access({ $0.isBehind }), publishes",
           "guard fault != \"undone\", content.access({ $0.isBehind }), publishes")),
    Fault("ended", "a refresh that ends with its process is answered as done",
          (ENGINE + "Catalog/Engine+Refreshing.swift", "let isAnswered = isStarted.withLock { $0 } &&",
           "let isAnswered = (fault == \"ended\" || isStarted.withLock { $0 }) &&"), replicas=True),
    Fault("languages", "a refresh is answered as done though its table could not be stored in another language",
          (ENGINE + "Projections/LiveTable+Lifecycle.swift", "finish(translation.writer.shows(sources))",
           "finish(fault == \"languages\" || translation.writer.shows(sources))")),
    Fault("gone", "nobody notices that a promoted server lacks a table altogether",
          (FOLLOWING, "guard let epoch = stored.versions?.epoch else { return !isMember }",
           "guard let epoch = stored.versions?.epoch else { return fault != \"gone\" && !isMember }"),
          (RECORD, "let isLost = revision == nil", "let isLost = fault != \"gone\" && revision == nil"), replicas=True),
    Fault("vain", "a table that a replica began in vain, and that the database has lost since, is shown",
          (ENGINE + "Commit/TableWriter.swift", "!isMember && !$0.isKnownToStore", "fault != \"vain\" && !isMember && !$0.isKnownToStore"),
          (FOLLOWING, "    guard case .replaced(let stored) = others else { return false }\n",
           "    guard case .replaced(let stored) = others, fault != \"vain\" || known.number > 0 else { return false }\n"),
          replicas=True),
    Fault("member", "a member that the database has lost is read",
          (ENGINE + "Commit/TableWriter.swift", "(known?.number ?? 0 > 0 ||", "((fault != \"member\" || !isMember) && known?.number ?? 0 > 0 ||"),
          replicas=True),
    Fault("elsewhere", "a poll with another search, from a version that only the store knows, is told that nothing is new",
          (ENGINE + "Projections/LiveTable.swift", "isLate || reader.isBeyondReach(after, query.lens) else",
           "isLate || reader.isBeyondReach(after, query.lens), fault != \"elsewhere\" else"), replicas=True),
    Fault("at-once", "a poll that does not wait, from a version that only the store knows, is told that nothing is new",
          (ENGINE + "Projections/LiveTable.swift", "return !waits || reader", "return !waits && fault != \"at-once\" || reader"),
          replicas=True),
    Fault("retired", "an edit is planned on items that have another name by then",
          (LOGS, "where next.logs[log.source] !== log {", "where fault != \"retired\" && next.logs[log.source] !== log {")),
    Fault("unfound", "items to which another replica has given a new name are taken for lost",
          (ENGINE + "Inputs/ItemLog.swift", "guard let table = tables.first else", "guard fault != \"unfound\", let table = tables.first else"),
          replicas=True),
    Fault("names", "a version is stored beside one whose items are called otherwise, without a look",
          (INPUTS, "!areInputsInDoubt &&", "(fault == \"names\" || !areInputsInDoubt) &&"), replicas=True),
    Fault("another", "a table that is restored is laid out with items that a promoted server has lost",
          (FOLLOWING, "        if !logs.isEmpty {", "        if fault != \"another\", !logs.isEmpty {"), replicas=True),
    Fault("tap-inputs", "a tap of the shown version is stored with newer items than that shows",
          (ENGINE + "Commit/RowTap.swift", "latest.toggling(row), nil)", "latest.toggling(row), fault == \"tap-inputs\" ? content.toldInputs : nil)"),
          replicas=True),
    Fault("lent", "a language that has shown something is lent the older rows of another one",
          (INPUTS, "restored == nil, !isKnownToStore, original", "restored == nil, fault == \"lent\" || !isKnownToStore, original")),
    Fault("comes-back", "a language that comes back, and can't be stored, is shown as it was stored earlier",
          (ENGINE + "Projections/LiveTable+Lifecycle.swift", "    writer.isBehindInputs",
           "    fault != \"comes-back\" && writer.isBehindInputs")),
    Fault("accepted", "reads don't wait for an accepted edit that the table in whose place another one comes could not store",
          (LOADING, "      if isBehind {", "      if isBehind, fault != \"accepted\" {")),
    Fault("at-start", "at the start items are looked for by the name that they had when the table was read",
          (ENGINE + "Catalog/StoredTables.swift", "    tables = [:]\n", "    if fault != \"at-start\" { tables = [:] }\n"), replicas=True),
    Fault("overtaken", "a poll whose cursor is beyond reach when its reply is made is told that nothing is new of another search",
          (ENGINE + "Projections/LiveTable.swift", "|| reader.leadsElsewhere(query)\n    case .drawn",
           "|| fault != \"overtaken\" && reader.leadsElsewhere(query)\n    case .drawn"), replicas=True),
    Fault("in-time", "a poll that does not wait, whose cursor is beyond reach when its reply is made, is told that nothing is new",
          (ENGINE + "Projections/LiveTable.swift", "case .unknown: !hasWaited", "case .unknown: !hasWaited && fault != \"in-time\""),
          replicas=True),
    Fault("cut-off", "an edit whose refresh a process that ends cuts off is answered as shown",
          (ENGINE + "Inputs/PolledSource.swift", "isAnswered: update.isSuccess)",
           "isAnswered: fault == \"cut-off\" || fault == \"unanswered\" && !update.isCancelled || update.isSuccess)"),
          replicas=True),
    Fault("called", "tables go on calling a record by its former name",
          (STORE + "SQLite/StoreWriter+Commit.swift", "      if isRenamed { try renameInput(",
           "      if fault != \"called\", isRenamed { try renameInput(")),
    Fault("held", "reads don't wait for an accepted edit that could not be stored in one language",
          (ENGINE + "Commit/TableWriter+Inputs.swift", "      if content.access({ $0.isBehind }) {\n        following",
           "      if fault != \"held\", content.access({ $0.isBehind }) {\n        following")),
    Fault("left-view", "a tap is counted in a view of an epoch that is over",
          (ENGINE + "Readers/Views/ViewDirectory.swift", "store.keep(next, of: record,",
           "store.keep(next, of: fault == \"left-view\" ? nil : record,"), replicas=True),
    Fault("replaced", "a read of a table in whose place another one has come does not wait for that one",
          (ENGINE + "Commit/TableWriter.swift", "    following.add(1, ordering: .acquiringAndReleasing)\n    content.queue.async { [self] in\n      for",
           "    if fault != \"replaced\" { following.add(1, ordering: .acquiringAndReleasing) }\n    content.queue.async { [self] in\n      for"),
          (BARRIER, "content.access { $0.gate.isClosed }\n", "content.access { $0.gate.isClosed && (fault != \"replaced\" || !$0.gate.isClosedForGood) }\n")),
    Fault("doubt", "a commit is shown by itself whose predecessor was stored, though it seemed to fail",
          (STORING, "case .success where content", "case .success where fault != \"doubt\" && content"), replicas=True),
    Fault("meanwhile", "a refresh is answered as done by sources that a reload has given a table, and that do not tell it anything yet",
          (ENGINE + "Catalog/Adoptions.swift", "guard state.isUnderWay else", "guard fault != \"meanwhile\", state.isUnderWay else"),
          (ENGINE + "Catalog/Engine+Refreshing.swift", "number != adopted ||", "fault != \"meanwhile\" && number != adopted ||")),
    Fault("away", "a table that the configuration no longer has is read as it was left, by requests of the one before",
          (ENGINE + "Projections/LiveTable+Lifecycle.swift", "case .removed: .isGone(name)\n      case .replacedByFamily", "case .removed: fault == \"away\" ? nil : .isGone(name)\n      case .replacedByFamily")),
    Fault("end", "who reads a table that ends goes on before it has ended",
          (ENGINE + "Projections/LiveTable+Lifecycle.swift", "    for table in all { table.lifecycle.withLock { $0.end(phase) } }\n",
           "    if fault != \"end\" { for table in all { table.lifecycle.withLock { $0.end(phase) } } }\n"),
          (ENGINE + "Projections/LiveTable+Lifecycle.swift", "      table.writer.leaveItems()\n",
           "      table.writer.leaveItems()\n      if fault == \"end\" { table.lifecycle.withLock { $0.end(phase) } }\n")),
    Fault("told", "polls that are woken by a new epoch go on waiting where nobody has looked at the database for a while",
          (FOLLOWING, "    noteLook(isRead: true)\n", "    if fault != \"told\" { noteLook(isRead: true) }\n"), replicas=True),
    Fault("view", "a read in a view that can't be read is answered without it",
          (ENGINE + "Projections/LiveTable.swift", "        switch error {\n        case nil: completion(.read, setBacks)\n",
           "        switch fault == \"view\" ? nil : error {\n        case nil: completion(.read, setBacks)\n"), replicas=True),
    Fault("set-back", "a read shows a version that is made of older items than those with which its barrier has passed",
          (FOLLOWING, "    if content.access({ $0.isSetBack(to: inputs) })", "    if fault != \"set-back\", content.access({ $0.isSetBack(to: inputs) })"), replicas=True),
    Fault("outlived", "what another release, or a lower generation, has laid out last stays as it is when that is gone",
          (ENGINE + "Replicas/Replica+Others.swift", "    tasks?.layOut()", "    if fault != \"outlived\" { tasks?.layOut() }"), replicas=True),
    Fault("resumed", "a replica that was stopped doesn't say which configuration it has",
          (ENGINE + "Replicas/Replica.swift", "if wasStopped {", "if wasStopped, fault != \"resumed\" {"), replicas=True),
    Fault("late-answer", "what an upstream says of an edit is shown, though the item has become another one since it was sent",
          (ENGINE + "Projections/Edits/ForwardingPlan+Applying.swift", "guard change.isDeletion ||", "guard fault == \"late-answer\" || change.isDeletion ||")),
    Fault("later", "reads don't wait for an accepted edit whose version fails after the edit was answered",
          (ENGINE + "Commit/TableWriter+Inputs.swift", "if isEdit { followed(error) }", "if isEdit { followed(fault == \"later\" ? nil : error) }")),
    Fault("joins", "tables join a source in whose place another one has come",
          (ENGINE + "Inputs/SourceReaders.swift", "guard pace != .ended, !isReplaced else", "guard pace != .ended, fault == \"joins\" || !isReplaced else")),
    Fault("former", "a refresh of a source looks at the tables of the configuration that it began with",
          (ENGINE + "Catalog/Engine+Refreshing.swift", "whenAllFollow(name, self.catalog.tables",
           "whenAllFollow(name, (fault == \"former\" ? catalog : self.catalog).tables")),
    Fault("term", "an accepted edit is answered though the lease was lost before all tables were stored that show it",
          (ENGINE + "Commit/AcceptedEdits.swift", "guard context.replica.lease?.term == term else",
           "guard fault == \"term\" || context.replica.lease?.term == term else"), replicas=True),
    Fault("restored", "rows that another leader has stored are said to show the looked-up items as they are by now",
          (INPUTS, "var laysOutInputs: Bool { isSettled &&", "var laysOutInputs: Bool { fault == \"restored\" || isSettled &&"), replicas=True),
    Fault("merely", "a leader to which nothing has changed lays looked-up items out beside nothing",
          (INPUTS, "!(restored != nil && inputs", "!(fault != \"merely\" && restored != nil && inputs"), replicas=True),
    Fault("roll-out", "during a roll-out reads don't wait for looked-up items",
          (BARRIER, "return context.replica.isAmongOlder &&", "return context.replica.isAmongOlder && fault == \"roll-out\" || context.replica.isAmongOlder &&"),
          replicas=True),
    Fault("handed", "a poll that is handed to another table is told that its cursor is nobody's",
          (ENGINE + "Projections/LiveTable+Lifecycle.swift", "        if !isMember { heir.reader.expectNews() }\n",
           "        if !isMember, fault != \"handed\" { heir.reader.expectNews() }\n"), replicas=True),
    Fault("frozen", "a member that was not read for a while is shown as it was left",
          (BARRIER, "    KeptMember(table: table).whenKeptUp(", "    if fault == \"frozen\" { return passInputs(completion) }\n    KeptMember(table: table).whenKeptUp(")),
    Fault("kept", "a member that a leader has kept up is shown when another one leads",
          (ENGINE + "Families/KeptMember.swift", "guard outcome == .read, replica.leaderTerm != term else",
           "guard outcome == .read, replica.leaderTerm != term, fault != \"kept\" else"), replicas=True),
    Fault("mixed", "an accepted edit is laid over items that were mapped of an older answer than the last",
          (ENGINE + "Projections/Edits/ForwardingPlan+Applying.swift", "    content.refreshResult(named: name)\n",
           "    if fault != \"mixed\" { content.refreshResult(named: name) }\n"), replicas=True),
    Fault("turnover", "an accepted edit is answered while tables are handed from one source to another",
          (ENGINE + "Commit/AcceptedEdits.swift", "if isTold.load(ordering: .acquiring), number == adopted {",
           "if isTold.load(ordering: .acquiring), number == adopted || fault == \"turnover\" {")),
    Fault("held-again", "a second reload lets reads go that wait for what the first one has lost",
          (STORING, "      return !content.holdsForSources\n", "      return !content.holdsForSources || fault == \"held-again\"\n")),
    Fault("clock", "a replica that was stopped takes its lease to last until the next tick",
          (ENGINE + "Replicas/FetchLease.swift", "now < until { lease }", "now < until || fault == \"clock\" { lease }"), replicas=True),
    Fault("predecessor", "what a member was left with counts though another replica has led since",
          (ENGINE + "Replicas/Handover.swift", "own &+ 1 < term else",
           "own &+ 1 < term, fault != \"predecessor\" else"), replicas=True),
    Fault("killed", "what a member was left with counts though the leader was killed after",
          (ENGINE + "Inputs/SourceListeners.swift", "|| context.replica.areMembersLeft",
           "|| fault == \"killed\" || context.replica.areMembersLeft"), replicas=True),
    Fault("numbers", "each source counts its answers from 1",
          (ENGINE + "Inputs/SourceListeners.swift", "    lastNumber = Atomic(context.nextAnswer())\n",
           "    lastNumber = Atomic(fault == \"numbers\" ? 0 : context.nextAnswer())\n"),
          (ENGINE + "Inputs/SourceListeners.swift", "      lastNumber.store(context.nextAnswer(), ordering: .relaxed)\n",
           "      lastNumber.store(fault == \"numbers\" ? answer + 1 : context.nextAnswer(), ordering: .relaxed)\n"),
          replicas=True),
    Fault("unanswered", "an edit that only the upstream can show is answered though that has failed",
          (ENGINE + "Inputs/PolledSource.swift", "guard case .failed = update, !update.isCancelled else",
           "guard case .failed = update, !update.isCancelled, fault != \"unanswered\" else"), replicas=True),
    Fault("hidden", "members of items that no cell shows are not told to other replicas",
          (STORING, "version == nil, objects.count > most", "version == nil, fault == \"hidden\" || objects.count > most"), replicas=True),
    Fault("untold", "members that no cell shows are forgotten where they could not be stored",
          (ENGINE + "Projections/TableContent+Stored.swift", "guard toldSections == nil else { return }", "guard toldSections == nil, fault != \"untold\" else { return }"), replicas=True),
    Fault("regained", "who has lost the lease and has it again answers what it was asked for before",
          (ENGINE + "Replicas/Replica.swift", "term != nil && lease?.term == term }",
           "fault == \"regained\" ? lease != nil : term != nil && lease?.term == term }"), replicas=True),
    Fault("continued", "an edit is built on a version that the database has lost",
          (ENGINE + "Commit/TableWriter+Following.swift", "if content.access({ $0.isLost }) { publishContent() }",
           "if fault == \"continued\" { return true }\n    if content.access({ $0.isLost }) { publishContent() }"), replicas=True),
    Fault("common", "members of a local list that map it in common are shown it as it was",
          (ENGINE + "Inputs/ItemLog.swift", "if let shared, shared.revision == snapshot.revision {",
           "if let shared, fault == \"common\" || shared.revision == snapshot.revision {")),
    Fault("carried", "an item that was edited keeps its row in the mapping that members have in common",
          ("Sources/TableMapping/Parts/OwnedTurnover.swift", "guard let former = arrival.former else { return false }",
           "guard let former = arrival.former else { return false }\n    if fault == \"carried\" { return true }")),
    Fault("waiter", "a poll is registered after it has looked, and does not look again",
          ("Tests/Simulation/Waiter.swift", "    service.loop.async { [self] in if !isAnswered { look() } }\n",
           "    if fault != \"waiter\" { service.loop.async { [self] in if !isAnswered { look() } } }\n")),
    Fault("fsync", "a commit is not synced (PRAGMA synchronous = OFF)",
          (WRITER, "    level = wanted\n  }", "    if fault == \"fsync\" { try db.execute(sql: \"PRAGMA synchronous = OFF\") }\n    level = wanted\n  }"),
          (STORE + "SQLite/SQLiteStore+Opening.swift", "    try db.execute(sql: \"PRAGMA synchronous = FULL\")\n    try db.inTransaction",
           "    try db.execute(sql: fault == \"fsync\" ? \"PRAGMA synchronous = OFF\" : \"PRAGMA synchronous = FULL\")\n    try db.inTransaction")),
    Fault("level", "edits are committed as versions are, whose loss is noticed (synchronous = NORMAL)",
          (WRITER, "      return commit.durability == .full || commit.version",
           "      return fault != \"level\" && commit.durability == .full || commit.version")),
    Fault("at-risk", "after a power loss the tables that may lack versions keep their epochs",
          (STORE + "SQLite/SQLiteStore+Opening.swift", "      if !goesOn || boot == nil || boot != info[\"boot\"] {",
           "      if !goesOn || boot == nil || fault != \"at-risk\" && boot != info[\"boot\"] {")),
    Fault("failed-sync", "after a failed sync the store goes on",
          (STORE + "SQLite/FailedSync.swift", "guard (error as? DatabaseError)?.extendedResultCode == .SQLITE_IOERR_FSYNC",
           "guard fault != \"failed-sync\", (error as? DatabaseError)?.extendedResultCode == .SQLITE_IOERR_FSYNC")),
    Fault("log", "after a failed sync and a restart commits are appended to a log that the disk has parts of",
          (STORE + "SQLite/SQLiteStore+Opening.swift", "    try queue.writeWithoutTransaction { try $0.rewriteLog() }",
           "    if fault != \"log\" { try queue.writeWithoutTransaction { try $0.rewriteLog() } }")),
    Fault("closing", "where a store's last connection is closed, the log is brought home though a sync has failed",
          (STORE + "SQLite/Database+Log.swift", "    guard let connection = sqliteConnection else { return }\n    let code = csqlite_ch",
           "    guard fault != \"closing\", let connection = sqliteConnection else { return }\n    let code = csqlite_ch")),
    Fault("client-key", "the Swift client sends an edit again under another key",
          ("Sources/TablecastClient/ClientEngine+Edits.swift", "    request.headers[\"Idempotency-Key\"] = edit.key\n",
           "    request.headers[\"Idempotency-Key\"] = fault == \"client-key\" ? \"\\(UInt64.random(in: 0 ... .max))\" : edit.key\n")),
]


def faulty():
    """The texts of all files with the faults in them; ends where one does not fit any more."""
    texts, missing = {}, []
    for fault in FAULTS:
        for path, before, after in fault.changes:
            text = texts[path] if path in texts else SWITCHED.get(path) or (TREE / path).read_text()
            if before is not None and before not in text:
                missing.append(f"{fault.name}: {path} has no {before!r}")
            texts[path] = text + after if before is None else text.replace(before, after)
    if missing:
        sys.exit("\n".join(missing))
    return texts


FILES = sorted({path for fault in FAULTS for path, _, _ in fault.changes} - set(SWITCHES))


def put():
    if subprocess.run(["git", "-C", TREE, "diff", "--quiet", "--", "Sources", *FILES]).returncode:
        sys.exit("Sources have changes that are in no commit: taking the faults out would take those, too")
    # The switches come first: `take` knows by them that there is something to take out.
    for path, text in {**SWITCHED, **faulty()}.items():
        (TREE / path).write_text(text)


def take():
    if not any((TREE / path).exists() for path in SWITCHES):
        return
    subprocess.run(["git", "-C", TREE, "checkout", "--quiet", "--", *FILES], check=True)
    for path in SWITCHES:
        (TREE / path).unlink(missing_ok=True)


def perform(command, fault):
    """Gives a run's status, its first line, and the seconds of a core that it took."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, env={**os.environ, "FAULT": fault}, stdout=said, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        said.seek(0)
        return status, said.readline().strip() or "nothing said", used.ru_utime + used.ru_stime


def look_for(fault, program, seconds, more, seed):
    """Runs seeds until one finds something. Gives words for the table."""
    passed, steps, runs = 0.0, 0, 0
    while passed < seconds:
        command = [program, "--one", str(seed)] + (["--replicas"] if fault.replicas else []) + more
        status, first, used = perform(command, fault.name)
        runs += 1
        passed += used
        number = re.search(r"step (\d+):", first)
        if status:
            # It is the fault that was found if there is nothing without it.
            if perform(command, "")[0] == 0:
                return f"seed {seed}: {first[:160]}", passed, steps + int(number[1] if number else 0)
            print(f"seed {seed} finds something without {fault.name}, too", file=sys.stderr, flush=True)
        else:
            steps += int(first.split()[0])
        seed += 1
    return f"not found in {runs} runs", passed, steps


def run(names, program, seconds, jobs, more, seed):
    byName = {fault.name: fault for fault in FAULTS}
    chosen = [byName[name] for name in names] or FAULTS
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda fault: (fault, look_for(fault, program, seconds, more, seed)), chosen)
        for fault, (words, passed, steps) in found:
            number = f"{fault.number}: " if fault.number else ""
            print(f"| {number}{fault.words}{' (`R`)' if fault.replicas else ''} | {passed:.1f} | {steps:,} | {words} |", flush=True)


arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("what", choices=["put", "check", "take", "run"])
arguments.add_argument("names", nargs="*")
arguments.add_argument("--program", default=str(TREE / ".build/debug/Simulation"))
arguments.add_argument("--seconds", type=float, default=60)
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--jobs", type=int, default=1)
arguments.add_argument("--more", default="", help="arguments of each run, such as --without files")
given = arguments.parse_args()
if given.what == "put":
    put()
elif given.what == "check":
    faulty()
elif given.what == "take":
    take()
else:
    run(given.names, given.program, given.seconds, given.jobs, given.more.split(), given.seed)
