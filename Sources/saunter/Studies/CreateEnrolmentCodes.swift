import ArgumentParser
import Console
import PrivateCluster
import SaunterCore
import SaunterStore

/// Creates enrolment codes of a study.
struct CreateEnrolmentCodes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrolment-codes",
        abstract: "Create codes with which participants join a study without open enrolment.",
        discussion: """
            Prints one code per line. The codes are not shown again, because the server stores only digests. A code admits as many \
            participants as --uses says, until it expires. Coordinators list and revoke codes with \
            /v1/studies/STUDY/enrolment-codes.

            Example: saunter enrolment-codes mindful-walking --count 20 --uses 1 --expires-in 90d --label "Leaflet of the clinic"
            """)

    @Argument(help: "The study's code.")
    var study: String
    @Option(help: "The number of codes, 1 to \(EnrolmentCodeBatch.counts.upperBound).") var count = 1
    @Option(
        help: "How many participants can join with each code, 1 to \(EnrolmentCodeBatch.uses.upperBound).")
    var uses = 1
    @Option(
        help: "After which time the codes expire, such as 12h, 90d or 4w; at most 1827d.",
        transform: CreateEnrolmentCodes.seconds)
    var expiresIn = EnrolmentCodeBatch.defaultLifetimeSeconds
    @Option(help: "The purpose of the codes. It must not identify a participant.")
    var label = "Created by the operator"
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        try Self.check(count, in: EnrolmentCodeBatch.counts, "--count")
        try Self.check(uses, in: EnrolmentCodeBatch.uses, "--uses")
        guard EnrolmentCodeBatch.lifetimes.contains(expiresIn) else {
            throw ValidationError("--expires-in must be at least one minute and at most 1827d")
        }
        guard (1...EnrolmentCodeBatch.maximumLabelLength).contains(label.count),
            StringFormat.line.accepts(label)
        else {
            throw ValidationError(
                "--label must be one line of 1 to \(EnrolmentCodeBatch.maximumLabelLength) characters")
        }
    }

    func run() async throws {
        let settings = try options.settings()
        let now = Instant.current()
        let expiresAt = now.adding(seconds: expiresIn)
        let codes = try await StoreSession(
            settings: settings, user: .command, logger: .command(settings)
        ).run { store in
            guard try await store.findStudy(study) != nil else {
                throw CommandFault("there is no study \(study); saunter study list shows the published ones")
            }
            return try await store.insertEnrolmentCodes(
                EnrolmentCodeBatch(
                    study: study, label: label, count: count, maximumUses: uses, expiresAt: expiresAt),
                by: .system, now: now)
        }
        if json {
            let items = codes.map { made -> JSON in
                [
                    "code_id": .string(made.code.id.description), "code": .string(made.secret.text),
                    "label": .string(label), "uses": .int(uses), "expires_at": .string(expiresAt.description),
                ]
            }
            return Terminal.line(JSON.object(["items": .array(items)]).text)
        }
        for made in codes { Terminal.line(made.secret.text) }
        Terminal.note(
            "valid until \(expiresAt), for \(uses == 1 ? "one participant" : "\(uses) participants") each")
    }

    private static func check(_ value: Int, in bounds: ClosedRange<Int>, _ option: String) throws {
        guard bounds.contains(value) else {
            throw ValidationError("\(option) must be \(bounds.lowerBound) to \(bounds.upperBound)")
        }
    }

    /// The seconds of a duration such as `90d`: a whole number and one of the units m, h, d and w.
    @Sendable static func seconds(_ text: String) throws -> Int {
        let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()), number > 0
        else {
            throw ValidationError("\(text) is not a duration, such as 12h, 90d or 4w")
        }
        let (seconds, isTooLarge) = number.multipliedReportingOverflow(by: unit)
        guard !isTooLarge else { throw ValidationError("\(text) is too long") }
        return seconds
    }
}
