import Foundation
import SaunterCore

/// Takes an outbox that comes as lines: the lines that gather while others are being stored are handed in together, and each has its result as soon
/// as it is stored.
struct OutboxStream: Sendable {
    /// Items that wait for what they refer to, and their bytes.
    private static let mostWaiting = 1_000
    private static let mostWaitingBytes = 1024 * 1024

    let desk: OutboxDesk
    let lines: BodyLines
    let publicURL: String

    /// An item with the line that it stood in.
    private struct Numbered: Sendable {
        var line: Int
        var bytes: Int
        var item: OutboxItem
    }

    /// The outbox without its items, where the first line is that; items that came with it.
    struct Head: Sendable {
        var json: JSON
        fileprivate var first: [BodyLine]
    }

    /// Reads the first line. Where it is an item, nothing is said of the outbox as a whole.
    /// - Throws: `Problem` for a body that cannot be read, and for a head that is not one.
    static func head(of lines: BodyLines) async throws -> Head {
        let first = try await lines.take(atMost: 1)
        guard let line = first.first else {
            throw Problem(.bodyUnreadable, "There is no line in it.")
        }
        guard let bytes = line.bytes else { throw BodyReader.tooLarge(lines.bounds.line) }
        // Without it nobody knows what the device's clock says: then it is all refused, and all kept by the device.
        let (json, refused) = try JSONReader.readAll(bytes)
        guard json["kind"] == nil else { return Head(json: [:], first: first) }
        let faults = refused + SyncRoutes.headSchema.faults(in: json)
        guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
        return Head(json: json, first: [])
    }

    /// - Parameter emit: is given one result for each item, with the number of its line.
    func run(_ head: Head, emit: (JSON) async throws -> Void) async throws {
        var waiting: [Numbered] = []
        var next = (head.first.first?.number ?? 1) + (head.first.isEmpty ? 1 : 0)
        do {
            var batch = head.first
            if batch.isEmpty { batch = try await lines.take() }
            while !batch.isEmpty {
                next = (batch.last?.number ?? next) + 1
                try await take(batch, &waiting, emit)
                batch = try await lines.take()
            }
        } catch let problem as Problem {
            // What was taken is stored; the device sends the rest again.
            try await settle(waiting, emit)
            return try await emit(ending(problem, line: next))
        }
        try await settle(waiting, emit)
        if let state = try await desk.deviceState() { try await emit(["device": state]) }
    }

    private func take(
        _ batch: [BodyLine], _ waiting: inout [Numbered], _ emit: (JSON) async throws -> Void
    ) async throws {
        var read: [Numbered] = []
        for line in batch {
            do {
                guard let bytes = line.bytes else { throw BodyReader.tooLarge(lines.bounds.line) }
                let (json, refused) = try JSONReader.readAll(bytes)
                let item = OutboxItem(place: read.count, line: json, refused: refused)
                read.append(Numbered(line: line.number, bytes: bytes.count, item: item))
            } catch {
                try await emit(refusal(Problem(error), line: line.number))
            }
        }
        let results = await handIn(read)
        var told: [(Numbered, OutboxResult)] = []
        for (numbered, result) in zip(read, results) {
            let bytes = waiting.reduce(numbered.bytes) { $0 + $1.bytes }
            if result.lacksReference, waiting.count < Self.mostWaiting, bytes <= Self.mostWaitingBytes {
                waiting.append(numbered)
            } else {
                told.append((numbered, result))
            }
        }
        try await tell(told, emit)
    }

    private func tell(
        _ told: [(Numbered, OutboxResult)], _ emit: (JSON) async throws -> Void
    ) async throws {
        var told = told
        do {
            try await desk.note(told.map(\.0.item), told.map(\.1))
        } catch {
            told = told.map { ($0.0, desk.failed($0.0.item, error)) }
        }
        for (numbered, result) in told { try await emit(result.json(line: numbered.line)) }
    }

    /// What referred to something that was not there is tried again when all else is.
    private func settle(_ waiting: [Numbered], _ emit: (JSON) async throws -> Void) async throws {
        guard !waiting.isEmpty else { return }
        let items = waiting.enumerated().map { place, numbered in numbered.item.moved(to: place) }
        let again = zip(waiting, items).map { Numbered(line: $0.line, bytes: $0.bytes, item: $1) }
        try await tell(Array(zip(again, await handIn(again))), emit)
    }

    private func handIn(_ numbered: [Numbered]) async -> [OutboxResult] {
        guard !numbered.isEmpty else { return [] }
        do {
            return try await lines.work(bytes: numbered.reduce(0) { $0 + $1.bytes }) {
                try await desk.take(numbered.map(\.item))
            }
        } catch {
            return numbered.map { desk.failed($0.item, error) }
        }
    }

    /// The result of a line that no item could be made of: a line that is no JSON stays that.
    private func refusal(_ problem: Problem, line: Int) -> JSON {
        entry(problem, line: line, problem.type.action == .retryLater ? "retry" : "rejected")
    }

    /// The result of a body that cannot be read on from this line. Whatever the fault of the body, nothing was judged or stored of the item in that
    /// line: a word that lets a device delete it would lose it.
    private func ending(_ problem: Problem, line: Int) -> JSON {
        var problem = problem
        problem.members["action"] = .string(ProblemType.Action.retryLater.rawValue)
        return entry(problem, line: line, "retry")
    }

    private func entry(_ problem: Problem, line: Int, _ result: String) -> JSON {
        [
            "line": .int(line), "kind": "", "id": "", "result": .string(result),
            "problem": problem.document(requestID: desk.call.requestID, publicURL: publicURL),
        ]
    }
}

extension OutboxStream {
    /// The reply, which begins once the outbox has come: a proxy that has begun to pass a reply on may pass no more of the body (nginx does not), and
    /// both would wait for each other.
    func replyAfterwards(_ head: Head, directory: URL) async throws -> Reply {
        let results = OverflowingBytes(directory: directory)
        try await run(head) { try await results.append($0.bytes + [UInt8(ascii: "\n")]) }
        await results.finish()
        return .stream(contentType: MediaType.lines) { writer in
            while let piece = try await results.take() { try await writer.write(piece) }
        }
    }

    /// The reply, sent while the outbox arrives.
    /// - Parameter directory: for results that the client does not read yet.
    func reply(_ head: Head, directory: URL) -> Reply {
        .stream(contentType: MediaType.lines) { writer in
            let results = OverflowingBytes(directory: directory)
            let work = Task {
                do {
                    try await run(head) { try await results.append($0.bytes + [UInt8(ascii: "\n")]) }
                    await results.finish()
                } catch {
                    await results.finish(error)
                }
            }
            do {
                while let piece = try await results.take() { try await writer.write(piece) }
            } catch {
                // Nobody reads any more. What is being stored is stored; nothing more is taken.
                await lines.close()
                await work.value
                throw error
            }
            await work.value
        }
    }
}
