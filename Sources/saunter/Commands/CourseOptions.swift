import ArgumentParser
import Foundation
import SaunterCore

/// What a made-up participant does in the course of a study: journeys, walks, sheets, events, breaks.
struct CourseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A journey: from then on the zone holds; any number of them.", valueName: "T=ZONE"),
        transform: { try Named($0, form: "T=ZONE", value: Self.zone) })
    var travel: [Named<Zone>] = []
    @Option(help: ArgumentHelp("A walk that ended then; any number.", valueName: "T"), transform: instant)
    var walk: [Instant] = []
    @Option(
        help: ArgumentHelp(
            "A sheet that was completed then; it settles the open occasion of its questionnaire, if there is one.",
            valueName: "T=QUESTIONNAIRE"),
        transform: { try Named($0, form: "T=QUESTIONNAIRE", value: { $0 }) })
    var sheet: [Named<String>] = []
    @Option(
        help: ArgumentHelp("A named event of the study.", valueName: "T=EVENT"),
        transform: { try Named($0, form: "T=EVENT", value: { $0 }) })
    var event: [Named<String>] = []
    @Option(
        help: ArgumentHelp("A break from prompts, up to a moment or without an end.", valueName: "T[/T]"),
        transform: pause)
    var pause: [Pause] = []
    @Option(help: ArgumentHelp("The participant leaves.", valueName: "T"), transform: instant)
    var left: Instant?
    @Option(
        help: ArgumentHelp(
            "Also tell the states, the adherence and the streaks of this moment.", valueName: "T"),
        transform: instant)
    var at: Instant?

    /// `T=VALUE`: something that happens at a moment.
    struct Named<Value: Sendable>: Sendable {
        var moment: Instant
        var value: Value

        init(_ text: String, form: String, value: (String) throws -> Value) throws {
            guard let split = text.firstIndex(of: "=") else {
                throw ValidationError("\(text) is not of the form \(form)")
            }
            moment = try CourseOptions.instant(String(text[..<split]))
            self.value = try value(String(text[text.index(after: split)...]))
        }
    }

    /// All of it as what the planner takes; ids follow from the seed.
    func input(_ study: Study, arm: String?, enrolledAt: Instant, zone: Zone, seed: String) throws
        -> PlanInput
    {
        let known = study.events.map(\.code)
        if let wrong = event.first(where: { !known.contains($0.value) }) {
            throw ValidationError(
                "the study has no event \(wrong.value): it has \(known.isEmpty ? "none" : known.joined(separator: ", "))"
            )
        }
        if let wrong = sheet.first(where: { study.questionnaire($0.value) == nil }) {
            throw ValidationError("the study has no questionnaire \(wrong.value)")
        }
        return PlanInput(
            study: study, enrolmentID: EnrolmentID(Self.id(of: seed)), arm: arm, enrolledAt: enrolledAt,
            zones: [ZoneChange(from: enrolledAt, zone: zone)]
                + travel.map { ZoneChange(from: $0.moment, zone: $0.value) },
            anchors: zip(walkIDs(seed), walk).map { AnchorEvent.walk($0, endedAt: $1) }
                + zip(sheetIDs(seed), sheet).map { .completion(of: $1.value, sheet: $0, at: $1.moment) }
                + event.map { .event($0.value, at: $0.moment) },
            seed: Array(seed.utf8), status: EnrolmentStatus(endedAt: left, pauses: pause))
    }

    /// Of the walks, in the order given.
    func walkIDs(_ seed: String) -> [WalkID] {
        walk.indices.map { WalkID(Self.id(of: "\(seed) walk \($0)")) }
    }

    /// Of the sheets, in the order given.
    func sheetIDs(_ seed: String) -> [SheetID] {
        sheet.indices.map { SheetID(Self.id(of: "\(seed) sheet \($0)")) }
    }

    /// The same occasions, those settled that the sheets fall to: of each sheet the first that is open then.
    func answered(_ planned: [Occasion]) -> [Occasion] {
        var occasions = planned
        for sheet in sheet.sorted(by: { $0.moment < $1.moment }) {
            let place = occasions.firstIndex {
                $0.questionnaire == sheet.value && !$0.isAnswered && $0.setAside == nil
                    && $0.window.openAt <= sheet.moment && sheet.moment < $0.window.closeAt
            }
            if let place { occasions[place].completedAt = sheet.moment }
        }
        return occasions
    }

    /// A UUID that follows from a text, so that the same seed gives the same participant.
    private static func id(of text: String) -> UUID {
        let digits = Array(JSON.string(text).digest.prefix(32))
        let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return UUID(uuidString: groups.map { String($0) }.joined(separator: "-")) ?? UUID()
    }

    @Sendable private static func pause(_ text: String) throws -> Pause {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2 else { throw ValidationError("\(text) is not of the form T or T/T") }
        let pause = Pause(from: try instant(parts[0]), to: parts.count == 2 ? try instant(parts[1]) : nil)
        guard pause.from <= pause.to ?? .maximum else {
            throw ValidationError("\(text): a break does not end before it begins")
        }
        return pause
    }

    @Sendable static func instant(_ text: String) throws -> Instant {
        guard let instant = Instant(text) else {
            throw ValidationError("\(text) is not a moment in RFC 3339, such as 2026-11-21T09:00:00Z")
        }
        return instant
    }

    @Sendable static func zone(_ text: String) throws -> Zone {
        guard let zone = Zone(text) else {
            let hint =
                nearestMember(to: text, among: Array(Zone.identifiers)).map { "; did you mean \($0)?" } ?? ""
            throw ValidationError("\(text) is not a zone of the time zone database\(hint)")
        }
        return zone
    }
}
