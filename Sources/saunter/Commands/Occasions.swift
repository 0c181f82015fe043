import ArgumentParser
import Foundation
import SaunterCore
import SaunterPacks

/// The planned occasions of one participant, by the planner that the server uses.
struct Occasions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the planned occasions of one made-up participant.",
        discussion: """
            Needs no database. Random moments follow from the seed. Occasions that follow walks are not shown: nobody walked.

            Example: saunter occasions Questionnaires/studies/mindful-walking \
            --enrolled-at 2026-11-21T09:00:00Z --zone Europe/Berlin --arm control --days 7
            """)

    @Argument(help: "The study's folder, studies/<code>.")
    var path: String
    @Option(help: "The moment of enrolment in RFC 3339, such as 2026-11-21T09:00:00Z.", transform: instant)
    var enrolledAt: Instant
    @Option(help: "The participant's time zone, such as Europe/Berlin.", transform: zone)
    var zone: Zone
    @Option(help: "The arm; unset: the study's first.")
    var arm: String?
    @Option(help: "Any text; the same text draws the same random moments.")
    var seed = "saunter"
    @Option(help: "Days from enrolment on; unset: the whole study.")
    var days: Int?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        if let days, !(0...10_000).contains(days) {
            throw ValidationError("--days is a number from 0 to 10000")
        }
    }

    func run() throws {
        let study = try Self.study(at: path)
        let arms = study.arms.map(\.code)
        if let arm, !arms.contains(arm) {
            throw ValidationError("the study has no arm \(arm): it has \(arms.joined(separator: ", "))")
        }
        let planner = Planner(
            PlanInput(
                study: study, enrolmentID: EnrolmentID(Self.id(of: seed)), arm: arm ?? arms.first,
                enrolledAt: enrolledAt, zones: [ZoneChange(from: enrolledAt, zone: zone)],
                seed: Array(seed.utf8)))
        let first = planner.enrolmentDate
        let occasions = planner.occasions(
            from: first, through: first.adding(days: days.map { max(0, $0 - 1) } ?? study.days))
        if json {
            Terminal.line(JSON.object(["items": .array(occasions.map(\.json))]).text)
        } else {
            show(occasions)
        }
    }

    private func show(_ occasions: [Occasion]) {
        var table = TextTable(["date", "opens", "due", "closes", "questionnaire", "schedule", "remark"])
        for occasion in occasions {
            let window = occasion.window
            table.append([
                occasion.localDate.description, local(window.openAt, occasion), local(window.dueAt, occasion),
                local(window.closeAt, occasion), occasion.questionnaire, occasion.key.schedule,
                occasion.setAside?.rawValue ?? (occasion.dstAdjusted ? "clock change" : ""),
            ])
        }
        for line in table.lines { Terminal.line(line) }
    }

    /// Local time of the day; the date too where it is another than the occasion's own.
    private func local(_ instant: Instant, _ occasion: Occasion) -> String {
        let local = occasion.zone.local(of: instant)
        let date = local.date == occasion.localDate ? "" : "\(local.date) "
        return date + local.time.description.prefix(5)
    }

    private static func study(at path: String) throws -> Study {
        guard let place = PackPlace(directory: path), case .study(let code) = place.kind else {
            throw CommandFault("\(path) is not a study's folder (…/studies/<code>)")
        }
        return try StudyPack.read(PackFiles.load(directory: path), study: code).study
    }

    /// A UUID that follows from a text, so that the same seed gives the same participant.
    private static func id(of text: String) -> UUID {
        let digits = Array(JSON.string(text).digest.prefix(32))
        let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return UUID(uuidString: groups.map { String($0) }.joined(separator: "-")) ?? UUID()
    }

    @Sendable private static func instant(_ text: String) throws -> Instant {
        guard let instant = Instant(text) else {
            throw ValidationError("\(text) is not a moment in RFC 3339, such as 2026-11-21T09:00:00Z")
        }
        return instant
    }

    @Sendable private static func zone(_ text: String) throws -> Zone {
        guard let zone = Zone(text) else {
            let hint =
                nearestMember(to: text, among: Array(Zone.identifiers)).map { "; did you mean \($0)?" } ?? ""
            throw ValidationError("\(text) is not a zone of the time zone database\(hint)")
        }
        return zone
    }
}

extension Occasion {
    /// Under the names of the API.
    fileprivate var json: JSON {
        [
            "occasion_id": .string(id.description), "questionnaire": .string(questionnaire),
            "schedule": .string(key.schedule), "day": .int(key.dayIndex), "slot": .int(key.slotIndex),
            "local_date": .string(localDate.description), "time_zone": .string(zone.id),
            "visible_at": .string(window.visibleAt.description),
            "opens_at": .string(window.openAt.description),
            "due_at": .string(window.dueAt.description), "closes_at": .string(window.closeAt.description),
            "dst_adjusted": .bool(dstAdjusted), "set_aside": .optional(setAside?.rawValue, JSON.string),
        ]
    }
}
