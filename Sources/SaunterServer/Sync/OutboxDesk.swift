import Logging
import SaunterCore
import SaunterStore

/// Takes a device's outbox: what can be written together is handed in at once, and so reaches the disk together.
struct OutboxDesk: Sendable {
    /// Walks in work at once: each is summarised from thousands of samples.
    private static let walksAtOnce = 4
    static let sheetsAtOnce = 100

    let context: ServerContext
    let call: Call<Identity>
    let enrolment: Enrolment

    /// The device's clock when it sent the whole; nil where each item says it.
    var clientNow: JSON?
    /// Which device it is; nil where it does not say so.
    var device: DeviceID?

    /// One result per item, in order. Nothing that is wrong with an item is thrown.
    func take(_ items: [OutboxItem]) async throws -> [OutboxResult] {
        var results: [Int: OutboxResult] = [:]
        let study = try await context.study(of: enrolment).study
        for item in items where !item.faults.isEmpty || item.kind == nil {
            results[item.place] = failed(item, Problem(.bodyInvalid, Faults(item.faults)))
        }
        let whole = items.filter { results[$0.place] == nil }
        await take(whole.filter { $0.kind == .calibration }, atOnce: Self.sheetsAtOnce, &results)
        await take(whole.filter { $0.kind == .walk }, atOnce: Self.walksAtOnce, &results)
        await take(whole.filter { $0.kind == .observation }, atOnce: Self.sheetsAtOnce, &results)
        await take(whole.filter { $0.kind == .usageEvent }, atOnce: Self.sheetsAtOnce, &results)
        let sheets = whole.filter { $0.kind == .sheet }
        for wave in OutboxItem.waves(sheets, isPlaced: { !study.anyTime.contains($0) }) {
            await take(wave, atOnce: Self.sheetsAtOnce, &results)
        }
        // A sheet may be for an occasion that only followed from another one of these.
        for sheet in sheets where results[sheet.place]?.lacksReference ?? false {
            guard sheets.contains(where: { results[$0.place]?.isStored ?? false }) else { break }
            results[sheet.place] = await result(of: sheet)
        }
        let said = whole.filter { $0.kind == .correction || $0.kind == .deletion }
        // What came before its thing waits in the database.
        if results.values.contains(where: \.isStored) && said.isEmpty { await applyDue() }
        await takeAmendments(said, &results)
        return items.map { results[$0.place] ?? failed($0, Problem(.internalError)) }
    }

    /// Notes which of the device's numbers have arrived, before it is told so: then no number is missing whose item it has dropped.
    func note(_ items: [OutboxItem], _ results: [OutboxResult]) async throws {
        guard let device else { return }
        let arrived = zip(items, results).filter { $1.isTerminal }.compactMap { $0.0.sequence }
        try await context.store.note(device, of: enrolment.id, sequences: arrived, now: call.now)
    }

    /// What of the device's has arrived; nil where it does not say which it is.
    func deviceState() async throws -> JSON? {
        guard let device, let found = try await context.store.findDevice(enrolment.id, device) else {
            return nil
        }
        return .object(DeviceWire.members(found))
    }

    private func take(_ items: [OutboxItem], atOnce most: Int, _ results: inout [Int: OutboxResult]) async {
        await withTaskGroup(of: (Int, OutboxResult).self) { group in
            for (number, item) in items.enumerated() {
                if number >= most, let (place, result) = await group.next() { results[place] = result }
                group.addTask { (item.place, await result(of: item)) }
            }
            for await (place, result) in group { results[place] = result }
        }
    }

    private func result(of item: OutboxItem) async -> OutboxResult {
        do {
            let stored = try await put(item)
            return OutboxResult(
                json: entry(item, Self.word(for: stored), more: ["receipt": stored.json]), isStored: true)
        } catch {
            return failed(item, error)
        }
    }

    /// The result of an item that was not stored.
    func failed(_ item: OutboxItem, _ error: any Error) -> OutboxResult {
        let problem = Problem(error)
        if problem.type.status >= 500 {
            call.logger.error("an outbox item failed: \(error)", metadata: ["kind": "\(item.kindText)"])
        }
        let codes = Set(problem.faults.map(\.code))
        // A device may send a calibration later than the walk that names it.
        let isEarly = codes.contains("unknown_calibration")
        let word = problem.type.action == .retryLater || isEarly ? "retry" : "rejected"
        let document = problem.document(
            requestID: call.requestID, publicURL: context.configuration.publicURL)
        return OutboxResult(
            json: entry(item, word, more: ["problem": document]), isTerminal: word != "retry",
            lacksReference: isEarly || codes.contains("unknown_occasion"))
    }

    /// The body as the single request would have it.
    func body(of item: OutboxItem) -> JSON {
        var object = item.body
        if let clientNow = clientNow ?? item.clientNow { object["client_now"] = clientNow }
        return .object(object)
    }

    private func put(_ item: OutboxItem) async throws -> (json: JSON, isNew: Bool) {
        let body = body(of: item)
        switch item.kind {
        case .sheet:
            try Self.check(body, SheetBody.schema)
            guard let sheet = SheetID(item.id) else { throw Problem(.notFound) }
            return try await SheetDesk(context: context).put(sheet, body, of: enrolment.id, now: call.now)
        case .walk:
            try Self.check(body, WalkBody.schema)
            guard let walk = WalkID(item.id) else { throw Problem(.notFound) }
            return try await WalkDesk(context: context).put(walk, body, of: enrolment, now: call.now)
        case .calibration:
            try Self.check(body, WalkRoutes.calibrationBody)
            guard let calibration = CalibrationID(item.id) else { throw Problem(.notFound) }
            return try await WalkDesk(context: context).put(calibration, body, of: enrolment, now: call.now)
        case .observation:
            try Self.check(body, ObservationBody.schema)
            guard let observation = ObservationID(item.id) else { throw Problem(.notFound) }
            return try await ObservationDesk(context: context)
                .put(observation, body, of: enrolment, now: call.now)
        case .usageEvent:
            try Self.check(body, UsageEventBody.schema)
            guard let event = UsageEventID(item.id) else { throw Problem(.notFound) }
            return try await UsageEventDesk(context: context).put(event, body, of: enrolment, now: call.now)
        case .correction, .deletion, nil: throw Problem(.bodyInvalid)
        }
    }

    static func check(_ body: JSON, _ schema: Schema) throws(Problem) {
        let faults = schema.faults(in: body)
        guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
    }

    static func word(for stored: (json: JSON, isNew: Bool)) -> String {
        if !stored.isNew { return "replayed" }
        if let duplicate = stored.json["duplicate_of"], !duplicate.isNull { return "duplicate" }
        return stored.json["standing"]?.string == Standing.outOfWindow.rawValue ? "out_of_window" : "accepted"
    }

    func entry(_ item: OutboxItem, _ result: String, more: JSONObject) -> JSON {
        var object: JSONObject = [
            "kind": .string(item.kindText), "id": .string(item.id), "result": .string(result),
        ]
        for member in more { object[member.name] = member.value }
        return .object(object)
    }
}
