import Logging
import SaunterCore
import SaunterStore

extension OutboxDesk {
    private var amendments: AmendmentDesk {
        AmendmentDesk(
            context: context, actor: .account(call.caller.account), requestID: call.requestID, now: call.now,
            logger: call.logger)
    }

    /// Applies what waited for things that are there by now. Where that cannot be done it waits on: it is stored.
    func applyDue() async {
        do {
            try await amendments.applyDue(of: enrolment)
        } catch {
            call.logger.warning("amendments wait on: \(error)")
        }
    }

    /// Corrections and deletions: all are kept, then all whose things are there are applied in the order in which they were made.
    func takeAmendments(_ items: [OutboxItem], _ results: inout [Int: OutboxResult]) async {
        guard !items.isEmpty else { return }
        var kept: [Int: AmendmentDesk.Kept] = [:]
        let isFull = await isFull()
        await withTaskGroup(of: (Int, Result<AmendmentDesk.Kept, any Error>).self) { group in
            for item in items {
                group.addTask {
                    do {
                        guard !isFull else { throw Self.tooMuchWaits }
                        return (item.place, .success(try await keep(item)))
                    } catch {
                        return (item.place, .failure(error))
                    }
                }
            }
            for await (place, result) in group {
                switch result {
                case .success(let amendment): kept[place] = amendment
                case .failure(let error):
                    if let item = items.first(where: { $0.place == place }) {
                        results[place] = failed(item, error)
                    }
                }
            }
        }
        await applyDue()
        do {
            let stored = try await context.store.listAmendments(
                kept.values.map(\.amendment.id), of: enrolment.id)
            for item in items {
                guard let kept = kept[item.place] else { continue }
                results[item.place] = result(of: item, kept, stored[kept.amendment.id])
            }
        } catch {
            for item in items where kept[item.place] != nil { results[item.place] = failed(item, error) }
        }
    }

    private static let tooMuchWaits = Problem(
        .tooManyRequests, "More than \(AmendmentDesk.mostWaiting) wait for things that have not come.",
        retryAfter: 60)

    private func isFull() async -> Bool {
        do {
            return try await context.store.countWaitingAmendments(of: enrolment.id)
                >= AmendmentDesk.mostWaiting
        } catch {
            // Each of them will be told why it cannot be kept.
            return false
        }
    }

    private func keep(_ item: OutboxItem) async throws -> AmendmentDesk.Kept {
        let body = body(of: item)
        let kind: Amendment.Kind = item.kind == .deletion ? .deletion : .correction
        try Self.check(
            body, kind == .deletion ? AmendmentBody.deletionSchema : AmendmentBody.correctionSchema)
        guard let id = AmendmentID(item.id) else { throw Problem(.notFound) }
        let number = device.flatMap { device in
            item.sequence.map { Amendment.Number(device: device, sequence: $0) }
        }
        return try await amendments.keep(id, kind, body, number: number, of: enrolment)
    }

    private func result(
        of item: OutboxItem, _ kept: AmendmentDesk.Kept, _ stored: StoredAmendment?
    ) -> OutboxResult {
        do {
            let receipt = try amendments.receipt(for: kept, stored)
            return OutboxResult(
                json: entry(item, Self.word(for: (receipt, kept.isNew)), more: ["receipt": receipt]),
                isStored: true)
        } catch {
            return failed(item, error)
        }
    }
}
