import SaunterCore

/// One thing without which the server cannot do its work: the database, room on the disk.
package struct ReadinessCheck: Sendable {
    /// A short name, lower-case.
    package let name: String
    /// Nil when all is well; else what is wrong, in words that anybody may read.
    package let fault: @Sendable () async -> String?

    package init(_ name: String, fault: @escaping @Sendable () async -> String?) {
        self.name = name
        self.fault = fault
    }
}

/// What all checks found.
struct Readiness: Sendable {
    /// In the order of the checks.
    let findings: [(name: String, fault: String?)]

    var isReady: Bool { findings.allSatisfy { $0.fault == nil } }

    /// Makes all checks at once; one that takes longer than `patience` has failed, so that a probe always gets its answer.
    static func of(_ checks: [ReadinessCheck], patience: Duration) async -> Readiness {
        let found = await withTaskGroup(of: (Int, String?).self) { group in
            for (place, check) in checks.enumerated() {
                group.addTask { (place, await fault(of: check, patience)) }
            }
            return await group.reduce(into: [Int: String]()) { found, next in found[next.0] = next.1 }
        }
        return Readiness(findings: checks.enumerated().map { (name: $1.name, fault: found[$0]) })
    }

    /// The check is left to itself when it takes too long: waiting for it would be the very thing that must not happen.
    private static func fault(of check: ReadinessCheck, _ patience: Duration) async -> String? {
        let (results, source) = AsyncStream<String?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let work = Task {
            source.yield(await check.fault())
            source.finish()
        }
        let watch = Task {
            try await Task.sleep(for: patience)
            source.yield("no answer in time")
            source.finish()
        }
        defer {
            work.cancel()
            watch.cancel()
        }
        for await result in results { return result }
        return "no answer"
    }

    var json: JSON {
        [
            "status": isReady ? "ready" : "not_ready",
            "checks": .array(
                findings.map { finding in
                    [
                        "name": .string(finding.name), "ok": .bool(finding.fault == nil),
                        "fault": .optional(finding.fault, JSON.string),
                    ]
                }),
        ]
    }

    static let schema: Schema = .named(
        "Readiness",
        .object([
            .required("status", .string(values: ["ready", "not_ready"])),
            .required(
                "checks",
                .array(
                    of: .object([
                        .required("name", .string()), .required("ok", .boolean),
                        .required("fault", .nullable(.string()), "What is wrong; null when nothing is."),
                    ]))),
        ]))
}
