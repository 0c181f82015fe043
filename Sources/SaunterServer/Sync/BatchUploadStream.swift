import Foundation
import SaunterCore

/// Processes a batch upload in NDJSON form. Lines that arrive while earlier lines are being stored form the next batch.
/// The result of each item is emitted as soon as the item is stored.
struct BatchUploadStream: Sendable {
    /// The maximum number of items that wait for the record that they refer to.
    private static let maximumDeferredItems = 1_000
    /// The maximum size of these items together, in bytes.
    private static let maximumDeferredBytes = 1024 * 1024

    let service: BatchUploadService
    let lines: NDJSONBody
    let publicURL: String

    /// An item with its line number and its size in bytes.
    private struct NumberedItem: Sendable {
        var line: Int
        var bytes: Int
        var item: BatchUploadItem
    }

    /// The members that apply to the whole upload. `first` contains the first line if it is already an item.
    struct Header: Sendable {
        var json: JSON
        fileprivate var first: [BodyLine]
    }

    /// Reads the first line. If it is an item, the upload has no header.
    /// - Throws: `Problem` for an empty or unreadable body, and for an invalid header.
    static func header(of lines: NDJSONBody) async throws -> Header {
        let first = try await lines.take(atMost: 1)
        guard let line = first.first else {
            throw Problem(.bodyUnreadable, "The body contains no line.")
        }
        guard let bytes = line.bytes else { throw BodyReader.tooLarge(lines.limits.line) }
        // Without a valid header the device's clock is unknown. The whole upload is rejected, and the device keeps it.
        let (json, readerFaults) = try JSONReader.readAll(bytes)
        guard json["kind"] == nil else { return Header(json: [:], first: first) }
        let faults = readerFaults + SyncRoutes.headerSchema.faults(in: json)
        guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
        return Header(json: json, first: [])
    }

    /// Processes the lines until the body ends.
    /// - Parameter emit: receives one result for each item, with its line number, and finally the state of the device.
    func run(_ header: Header, emit: (JSON) async throws -> Void) async throws {
        var deferred: [NumberedItem] = []
        var next = (header.first.first?.number ?? 1) + (header.first.isEmpty ? 1 : 0)
        do {
            var batch = header.first
            if batch.isEmpty { batch = try await lines.take() }
            while !batch.isEmpty {
                next = (batch.last?.number ?? next) + 1
                try await process(batch, &deferred, emit)
                batch = try await lines.take()
            }
        } catch let problem as Problem {
            // All items before this line are processed. The device uploads the rest again.
            try await retryDeferred(deferred, emit)
            return try await emit(interruptedResult(problem, line: next))
        }
        try await retryDeferred(deferred, emit)
        if let state = try await service.deviceState() { try await emit(["device": state]) }
    }

    private func process(
        _ batch: [BodyLine], _ deferred: inout [NumberedItem], _ emit: (JSON) async throws -> Void
    ) async throws {
        var read: [NumberedItem] = []
        for line in batch {
            do {
                guard let bytes = line.bytes else { throw BodyReader.tooLarge(lines.limits.line) }
                let (json, readerFaults) = try JSONReader.readAll(bytes)
                let item = BatchUploadItem(index: read.count, line: json, readerFaults: readerFaults)
                read.append(NumberedItem(line: line.number, bytes: bytes.count, item: item))
            } catch {
                try await emit(unreadableLineResult(Problem(error), line: line.number))
            }
        }
        let results = await submit(read)
        var finished: [(NumberedItem, BatchUploadResult)] = []
        for (numbered, result) in zip(read, results) {
            let bytes = deferred.reduce(numbered.bytes) { $0 + $1.bytes }
            if result.lacksReference, deferred.count < Self.maximumDeferredItems,
                bytes <= Self.maximumDeferredBytes
            {
                deferred.append(numbered)
            } else {
                finished.append((numbered, result))
            }
        }
        try await emitResults(finished, emit)
    }

    private func emitResults(
        _ finished: [(NumberedItem, BatchUploadResult)], _ emit: (JSON) async throws -> Void
    ) async throws {
        var finished = finished
        do {
            try await service.recordSequences(finished.map(\.0.item), finished.map(\.1))
        } catch {
            finished = finished.map { ($0.0, service.failed($0.0.item, error)) }
        }
        for (numbered, result) in finished { try await emit(result.json(line: numbered.line)) }
    }

    /// Retries the items whose references were missing, after all other items are stored.
    private func retryDeferred(_ deferred: [NumberedItem], _ emit: (JSON) async throws -> Void) async throws {
        guard !deferred.isEmpty else { return }
        let items = deferred.enumerated().map { index, numbered in numbered.item.moved(to: index) }
        let again = zip(deferred, items).map { NumberedItem(line: $0.line, bytes: $0.bytes, item: $1) }
        try await emitResults(Array(zip(again, await submit(again))), emit)
    }

    private func submit(_ numbered: [NumberedItem]) async -> [BatchUploadResult] {
        guard !numbered.isEmpty else { return [] }
        do {
            return try await lines.withPermit(bytes: numbered.reduce(0) { $0 + $1.bytes }) {
                try await service.process(numbered.map(\.item))
            }
        } catch {
            return numbered.map { service.failed($0.item, error) }
        }
    }

    /// The result of a line that cannot be decoded. A line that is not JSON is rejected, because a retry cannot
    /// succeed.
    private func unreadableLineResult(_ problem: Problem, line: Int) -> JSON {
        entry(problem, line: line, problem.type.action == .retryLater ? "retry" : "rejected")
    }

    /// The result for a body that cannot be read from this line on. It is always `retry`: nothing of the line was
    /// stored, so the device must keep the item.
    private func interruptedResult(_ problem: Problem, line: Int) -> JSON {
        var problem = problem
        problem.members["action"] = .string(ProblemType.Action.retryLater.rawValue)
        return entry(problem, line: line, "retry")
    }

    private func entry(_ problem: Problem, line: Int, _ result: String) -> JSON {
        [
            "line": .int(line), "kind": "", "id": "", "result": .string(result),
            "problem": problem.document(requestID: service.call.requestID, publicURL: publicURL),
        ]
    }
}

extension BatchUploadStream {
    /// Processes the whole upload, then returns the response. This is for clients behind a proxy: a proxy such as nginx
    /// may stop forwarding the request body once the response begins, and both sides would wait for each other.
    /// - Parameter directory: where results are spilled to disk.
    func replyAfterUpload(_ header: Header, directory: URL) async throws -> Reply {
        let results = SpillBuffer(directory: directory)
        try await run(header) { try await results.append($0.bytes + [UInt8(ascii: "\n")]) }
        await results.finish()
        return .stream(contentType: MediaType.lines) { writer in
            while let piece = try await results.next() { try await writer.write(piece) }
        }
    }

    /// The response, sent while the upload arrives.
    /// - Parameter directory: where results are spilled to disk while the client does not read them.
    func reply(_ header: Header, directory: URL) -> Reply {
        .stream(contentType: MediaType.lines) { writer in
            let results = SpillBuffer(directory: directory)
            let work = Task {
                do {
                    try await run(header) { try await results.append($0.bytes + [UInt8(ascii: "\n")]) }
                    await results.finish()
                } catch {
                    await results.finish(error)
                }
            }
            do {
                while let piece = try await results.next() { try await writer.write(piece) }
            } catch {
                // The client no longer reads. Items in progress are stored, and no more lines are read.
                await lines.close()
                await work.value
                throw error
            }
            await work.value
        }
    }
}
