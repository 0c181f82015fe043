import ArgumentParser
import Console
import Foundation
import SaunterCore

/// What a simulated participant does during a study: journeys, walks, sheets, events, breaks.
struct CourseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A journey: the participant's time zone from this instant; repeatable.", valueName: "T=ZONE"),
        transform: { try TimedValue($0, form: "T=ZONE", value: ArgumentValue.zone) })
    var travel: [TimedValue<Zone>] = []
    @Option(
        help: ArgumentHelp("A walk that ended at this instant; repeatable.", valueName: "T"),
        transform: ArgumentValue.instant)
    var walk: [Instant] = []
    @Option(
        help: ArgumentHelp(
            "A sheet completed at this instant; it fulfils the open occasion of its questionnaire, if there is one.",
            valueName: "T=QUESTIONNAIRE"),
        transform: { try TimedValue($0, form: "T=QUESTIONNAIRE", value: { $0 }) })
    var sheet: [TimedValue<String>] = []
    @Option(
        help: ArgumentHelp("A named event of the study; repeatable.", valueName: "T=EVENT"),
        transform: { try TimedValue($0, form: "T=EVENT", value: { $0 }) })
    var event: [TimedValue<String>] = []
    @Option(
        help: ArgumentHelp(
            "A break without occasions, until the second instant or without an end; repeatable.",
            valueName: "T[/T]"),
        transform: pause)
    var pause: [Pause] = []
    @Option(
        help: ArgumentHelp("The instant at which the participant leaves the study.", valueName: "T"),
        transform: ArgumentValue.instant)
    var left: Instant?
    @Option(
        help: ArgumentHelp(
            "Also show the states, the adherence and the streaks at this instant.", valueName: "T"),
        transform: ArgumentValue.instant)
    var at: Instant?

    /// `T=VALUE`: a value at an instant.
    struct TimedValue<Value: Sendable>: Sendable {
        var at: Instant
        var value: Value

        init(_ text: String, form: String, value: (String) throws -> Value) throws {
            guard let split = text.firstIndex(of: "=") else {
                throw ValidationError("\(text) is not of the form \(form)")
            }
            at = try ArgumentValue.instant(String(text[..<split]))
            self.value = try value(String(text[text.index(after: split)...]))
        }
    }

    /// The input of the planner. Ids are derived from the seed.
    /// - Throws: `CommandFault` if the study lacks an event or a questionnaire.
    func input(_ study: Study, arm: String?, enrolledAt: Instant, zone: Zone, seed: String) throws
        -> PlanInput
    {
        let known = study.events.map(\.code)
        if let wrong = event.first(where: { !known.contains($0.value) }) {
            throw CommandFault(
                "the study has no event \(wrong.value): it has \(known.isEmpty ? "none" : known.joined(separator: ", "))"
            )
        }
        for event in study.events where event.update == .immutable {
            guard self.event.count(where: { $0.value == event.code }) <= 1 else {
                throw CommandFault("the event \(event.code) is immutable: --event can name it only once")
            }
        }
        if let wrong = sheet.first(where: { study.questionnaire($0.value) == nil }) {
            throw CommandFault("the study has no questionnaire \(wrong.value)")
        }
        return PlanInput(
            study: study, enrolmentID: EnrolmentID(Self.id(of: seed)), arm: arm, enrolledAt: enrolledAt,
            zones: [ZoneChange(from: enrolledAt, zone: zone)]
                + travel.map { ZoneChange(from: $0.at, zone: $0.value) },
            anchors: zip(walkIDs(seed), walk).map { AnchorEvent.walk($0, endedAt: $1) }
                + zip(sheetIDs(seed), sheet).map { .completion(of: $1.value, sheet: $0, at: $1.at) }
                + event.map { .event($0.value, at: $0.at) },
            seed: Array(seed.utf8), status: EnrolmentStatus(endedAt: left, pauses: pause))
    }

    /// The ids of the walks, in the order of the command line.
    func walkIDs(_ seed: String) -> [WalkID] {
        walk.indices.map { WalkID(Self.id(of: "\(seed) walk \($0)")) }
    }

    /// The ids of the sheets, in the order of the command line.
    func sheetIDs(_ seed: String) -> [SheetID] {
        sheet.indices.map { SheetID(Self.id(of: "\(seed) sheet \($0)")) }
    }

    /// The planned occasions after the sheets. Each sheet fulfils the first occasion of its questionnaire that is open.
    func answered(_ planned: [Occasion]) -> [Occasion] {
        var occasions = planned
        for sheet in sheet.sorted(by: { $0.at < $1.at }) {
            let index = occasions.firstIndex {
                $0.questionnaire == sheet.value && !$0.isAnswered && $0.exclusion == nil
                    && $0.window.openAt <= sheet.at && sheet.at < $0.window.closeAt
            }
            if let index { occasions[index].completedAt = sheet.at }
        }
        return occasions
    }

    /// A UUID from the digest of a text, so that the same seed produces the same participant.
    private static func id(of text: String) -> UUID {
        let digits = Array(JSON.string(text).digest.prefix(32))
        let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return UUID(uuidString: groups.map { String($0) }.joined(separator: "-")) ?? UUID()
    }

    @Sendable private static func pause(_ text: String) throws -> Pause {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2 else { throw ValidationError("\(text) is not of the form T or T/T") }
        let pause = Pause(
            from: try ArgumentValue.instant(parts[0]),
            to: parts.count == 2 ? try ArgumentValue.instant(parts[1]) : nil)
        guard pause.from <= pause.to ?? .maximum else {
            throw ValidationError("\(text): a break cannot end before it begins")
        }
        return pause
    }
}
