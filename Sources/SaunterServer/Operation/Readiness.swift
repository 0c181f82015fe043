import Glibc
import SaunterCore

/// A check of something that the server needs: the database, free disk space.
package struct ReadinessCheck: Sendable {
    /// A short name in lower case.
    package let name: String
    /// Runs the check. Returns nil on success, otherwise a description of the fault that any caller may read.
    package let fault: @Sendable () async -> String?

    /// Creates a check from its function.
    package init(_ name: String, fault: @escaping @Sendable () async -> String?) {
        self.name = name
        self.fault = fault
    }

    /// Checks the free disk space at a path. When PostgreSQL has no space it stops; with this check a load balancer
    /// uses another server before that.
    /// - Parameter bytes: the minimum that must be free for an unprivileged user.
    static func freeDiskSpace(at path: String, bytes: UInt64 = 64 << 20) -> ReadinessCheck {
        ReadinessCheck("disk") {
            var space = statvfs()
            guard statvfs(path, &space) == 0 else { return "the data directory cannot be read" }
            let free = UInt64(space.f_bavail) * UInt64(space.f_frsize)
            return free < bytes ? "less than \(bytes >> 20) MiB are free" : nil
        }
    }
}

/// The results of all checks.
struct Readiness: Sendable {
    /// In the order of the checks.
    let results: [(name: String, fault: String?)]

    /// Whether all checks succeeded.
    var isReady: Bool { results.allSatisfy { $0.fault == nil } }

    /// Runs all checks at the same time. A check that exceeds the timeout has failed, so that a probe always gets a
    /// response.
    static func run(_ checks: [ReadinessCheck], timeout: Duration) async -> Readiness {
        let faults = await withTaskGroup(of: (Int, String?).self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask { (index, await fault(of: check, timeout)) }
            }
            return await group.reduce(into: [Int: String]()) { faults, next in faults[next.0] = next.1 }
        }
        return Readiness(results: checks.enumerated().map { (name: $1.name, fault: faults[$0]) })
    }

    /// Runs one check. A check that exceeds the timeout is cancelled, but not awaited, because it may never end.
    private static func fault(of check: ReadinessCheck, _ timeout: Duration) async -> String? {
        let (results, source) = AsyncStream<String?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let work = Task {
            source.yield(await check.fault())
            source.finish()
        }
        let timer = Task {
            try await Task.sleep(for: timeout)
            source.yield("no answer in time")
            source.finish()
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        for await result in results { return result }
        return "no answer"
    }

    var json: JSON {
        [
            "status": isReady ? "ready" : "not_ready",
            "checks": .array(
                results.map { result in
                    [
                        "name": .string(result.name), "ok": .bool(result.fault == nil),
                        "fault": .optional(result.fault, JSON.string),
                    ]
                }),
        ]
    }

    /// The schema of `json`.
    static let schema: Schema = .named(
        "Readiness",
        .object([
            .required(
                "status", .string(values: ["ready", "not_ready"]), "Whether the server accepts requests."),
            .required(
                "checks",
                .array(
                    of: .object([
                        .required("name", .string(), "What was checked."),
                        .required("ok", .boolean, "True if the check succeeded."),
                        .required(
                            "fault", .nullable(.string()),
                            "A description of the fault; null if the check succeeded."),
                    ])), "One entry for each thing that the server needs."),
        ]))
}
