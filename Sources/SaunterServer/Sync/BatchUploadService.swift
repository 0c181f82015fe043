import Foundation
import Logging
import SaunterCore
import SaunterStore

/// Validates and stores the items of a batch upload. It submits independent items concurrently, so that they share
/// database transactions.
struct BatchUploadService: Sendable {
    let context: ServerContext
    let call: Call<Identity>
    let enrolment: Enrolment

    /// The device's clock when it sent the upload; nil if each item states it.
    var clientNow: JSON?
    /// The device that uploads; nil if it does not identify itself.
    var device: DeviceID?

    /// Processes the items kind by kind; edits are last.
    /// - Returns: one result per item, in order. The fault of an item is part of its result and is never thrown.
    func process(_ items: [BatchUploadItem]) async throws -> [BatchUploadResult] {
        var results: [Int: BatchUploadResult] = [:]
        let study = try await context.study(of: enrolment).study
        for item in items where !item.faults.isEmpty || item.kind == nil {
            results[item.index] = failed(item, Problem(.bodyInvalid, Faults(item.faults)))
        }
        let wellFormed = items.filter { results[$0.index] == nil }
        let sheets = wellFormed.filter { $0.kind == .sheet }
        for kind in BatchUploadItem.Kind.allCases where kind.service != nil {
            let items = wellFormed.filter { $0.kind == kind }
            let groups =
                kind == .sheet
                ? BatchUploadItem.concurrentGroups(items, ordering: study.ordering(of:)) : [items]
            for group in groups { await process(group, atOnce: kind.maximumConcurrentItems, &results) }
        }
        // A sheet can answer an occasion that was only planned after another sheet of this upload was stored.
        for sheet in sheets where results[sheet.index]?.lacksReference ?? false {
            guard sheets.contains(where: { results[$0.index]?.isStored ?? false }) else { break }
            results[sheet.index] = await result(of: sheet)
        }
        let editItems = wellFormed.filter { $0.kind == .correction || $0.kind == .deletion }
        // Stored edits may have waited for records of this upload.
        if results.values.contains(where: \.isStored) && editItems.isEmpty { await applyDue() }
        await processEdits(editItems, &results)
        return items.map { results[$0.index] ?? failed($0, Problem(.internalError)) }
    }

    /// Records which sequence numbers of the device have arrived. Call this before the response is sent: the device
    /// deletes confirmed items, so their numbers must not be reported as missing.
    func recordSequences(_ items: [BatchUploadItem], _ results: [BatchUploadResult]) async throws {
        guard let device else { return }
        let arrived = zip(items, results).filter { $1.isTerminal }.compactMap { $0.0.sequence }
        try await context.store.recordSequences(device, of: enrolment.id, sequences: arrived, now: call.now)
    }

    /// The sequence numbers that have arrived from the device; nil if the device does not identify itself.
    func deviceState() async throws -> JSON? {
        guard let device, let found = try await context.store.findDevice(enrolment.id, device) else {
            return nil
        }
        return .object(DeviceResponse.members(found))
    }

    /// Processes the items with at most `limit` of them at the same time.
    private func process(
        _ items: [BatchUploadItem], atOnce limit: Int, _ results: inout [Int: BatchUploadResult]
    ) async {
        await withTaskGroup(of: (Int, BatchUploadResult).self) { group in
            for (number, item) in items.enumerated() {
                if number >= limit, let (index, result) = await group.next() { results[index] = result }
                group.addTask { (item.index, await result(of: item)) }
            }
            for await (index, result) in group { results[index] = result }
        }
    }

    private func result(of item: BatchUploadItem) async -> BatchUploadResult {
        do {
            let stored = try await put(item)
            return BatchUploadResult(
                json: entry(item, stored.result.rawValue, more: ["receipt": stored.json]),
                isStored: true)
        } catch {
            return failed(item, error)
        }
    }

    /// The result of an item that was not stored.
    func failed(_ item: BatchUploadItem, _ error: any Error) -> BatchUploadResult {
        let problem = Problem(error)
        if problem.type.status >= 500 {
            call.logger.error(
                "an item of a batch upload failed",
                metadata: ["kind": "\(item.kindText)", "error": "\(error)"])
        }
        let codes = Set(problem.faults.map(\.code))
        // A device may upload a calibration after the walk that names it, and an entry after a sheet that refers to it.
        let awaitsRecord =
            codes.contains("unknown_calibration") || codes == ["unknown_entry"]
        let resultName = problem.type.action == .retryLater || awaitsRecord ? "retry" : "rejected"
        let document = problem.document(
            requestID: call.requestID, publicURL: context.configuration.publicURL)
        return BatchUploadResult(
            json: entry(item, resultName, more: ["problem": document]), isTerminal: resultName != "retry",
            lacksReference: awaitsRecord || codes.contains("unknown_occasion"))
    }

    /// The body in the form of a single submission, with `client_now`.
    func body(of item: BatchUploadItem) -> JSON {
        var object = item.body
        if let clientNow = clientNow ?? item.clientNow { object["client_now"] = clientNow }
        return .object(object)
    }

    private func put(_ item: BatchUploadItem) async throws -> RecordReceipt {
        guard let service = item.kind?.service, let id = UUID(uuidString: item.id) else {
            throw Problem(.bodyInvalid)
        }
        return try await service.init(context: context)
            .checkAndPut(id, body(of: item), of: enrolment, now: call.now)
    }

    /// The JSON of one result.
    func entry(_ item: BatchUploadItem, _ result: String, more: JSONObject) -> JSON {
        var object: JSONObject = [
            "kind": .string(item.kindText), "id": .string(item.id), "result": .string(result),
        ]
        for member in more { object[member.name] = member.value }
        return .object(object)
    }

    // MARK: Edits

    private var editService: EditService {
        EditService(
            context: context, actor: .participant, requestID: call.requestID, now: call.now,
            logger: call.logger)
    }

    /// Applies the waiting edits whose records are stored now. If this fails, the edits keep waiting in the database.
    func applyDue() async {
        do {
            try await editService.applyDue(of: enrolment)
        } catch {
            call.logger.warning("waiting edits were not applied", metadata: ["error": "\(error)"])
        }
    }

    /// Stores all corrections and deletions. Then applies those whose records are stored, in the order in which the
    /// participant made them.
    func processEdits(_ items: [BatchUploadItem], _ results: inout [Int: BatchUploadResult]) async {
        guard !items.isEmpty else { return }
        var accepted: [Int: EditService.AcceptedEdit] = [:]
        let isFull = await isFull()
        await withTaskGroup(of: (Int, Result<EditService.AcceptedEdit, any Error>).self) { group in
            for item in items {
                group.addTask {
                    do {
                        guard !isFull else { throw Self.tooManyWaitingEdits }
                        return (item.index, .success(try await submit(item)))
                    } catch {
                        return (item.index, .failure(error))
                    }
                }
            }
            for await (index, result) in group {
                switch result {
                case .success(let edit): accepted[index] = edit
                case .failure(let error):
                    if let item = items.first(where: { $0.index == index }) {
                        results[index] = failed(item, error)
                    }
                }
            }
        }
        await applyDue()
        do {
            let stored = try await context.store.listEdits(
                accepted.values.map(\.edit.id), of: enrolment.id)
            for item in items {
                guard let accepted = accepted[item.index] else { continue }
                results[item.index] = result(of: item, accepted, stored[accepted.edit.id])
            }
        } catch {
            for item in items where accepted[item.index] != nil { results[item.index] = failed(item, error) }
        }
    }

    private static let tooManyWaitingEdits = Problem(
        .tooManyRequests,
        """
        \(EditService.maximumWaitingEdits) edits of this enrolment already wait for records that have not been uploaded.
        """,
        retryAfter: 60)

    /// Whether the number of waiting edits has reached its limit.
    private func isFull() async -> Bool {
        do {
            return try await context.store.countWaitingEdits(of: enrolment.id)
                >= EditService.maximumWaitingEdits
        } catch {
            // Each edit then reports the database error itself.
            return false
        }
    }

    private func submit(_ item: BatchUploadItem) async throws -> EditService.AcceptedEdit {
        let body = body(of: item)
        let kind: Edit.Kind = item.kind == .deletion ? .deletion : .correction
        try item.kind?.bodySchema.check(body)
        guard let id = EditID(item.id) else { throw Problem(.notFound) }
        let number = device.flatMap { device in
            item.sequence.map { Edit.Number(device: device, sequence: $0) }
        }
        return try await editService.submit(id, kind, body, number: number, of: enrolment)
    }

    private func result(
        of item: BatchUploadItem, _ accepted: EditService.AcceptedEdit, _ stored: StoredEdit?
    ) -> BatchUploadResult {
        do {
            let receipt = try editService.receipt(for: accepted, stored)
            return BatchUploadResult(
                json: entry(
                    item, RecordReceipt(receipt, isNew: accepted.isNew).result.rawValue,
                    more: ["receipt": receipt]),
                isStored: true)
        } catch {
            return failed(item, error)
        }
    }
}

extension Study {
    /// Which sheets of a questionnaire a batch upload submits one after the other.
    fileprivate func ordering(of questionnaire: String) -> BatchUploadItem.Ordering {
        guard isAnsweredAnyTime(questionnaire) else { return .withoutOccasion }
        let rule = anyTimeRule(of: questionnaire)
        if rule?.maximumPerDay != nil { return .all }
        return rule?.fulfilledSchedule == nil ? .independent : .withoutOccasion
    }
}
