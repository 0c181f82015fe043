import SaunterCore

/// What of a study's two files of rules could not be read, and which faults of meaning may only follow from that: of everything else the study is
/// judged all the same. As `Consequences` it rather keeps back a fault too many.
struct UnreadParts {
    /// Places of the schedules that stand in for what was not read in full: their windows mean nothing.
    private(set) var schedules: Set<Int> = []
    /// To what was not read in full; what lies below is not judged.
    private var pointers: Set<String> = []
    /// Of faults that may follow wherever they are.
    private var codes: Set<String> = []

    /// Key -> codes of faults elsewhere that may only come from what is missing there.
    private static let consequences: [String: Set<String>] = [
        "questionnaires": ["unknown_questionnaire", "never_used"],
        "arms": ["unknown_arm"],
        "allocation": ["unknown_factor", "unknown_level"],
        "events": ["unknown_event"],
        "phases": ["unknown_phase", "never_used"],
        "schedules": ["never_asked", "never_begins", "never_used", "nothing_to_say"],
        "any_time": ["never_asked", "never_begins"],
        "walking": ["no_walks"],
        "reminder": ["no_reminder"],
        "notices": ["unknown_notice", "never_used", "nothing_to_say"],
    ]

    /// Keys of a schedule that decide about none of its windows.
    private static let apart: Set<String> = ["zone_policy", "late_policy", "reminded", "reminders"]

    /// - Parameters:
    ///   - study: `study.yaml`.
    ///   - holes: lines of it on which something could not be read.
    ///   - schedules: the list in `schedule.yaml`; nil where there is none.
    ///   - scheduleHoles: lines of that file.
    init(study: YAMLNode?, holes: Set<Int>, schedules: YAMLNode?, scheduleHoles: Set<Int>) {
        for key in StudyReading.required where study?[key] == nil { note(part: key) }
        if case .mapping(let entries)? = study?.content {
            for entry in entries where holes.contains(where: { entry.lines.contains($0) }) {
                note(part: entry.key)
            }
        }
        // Block sizes and chances follow from the arms.
        if has("arms") { note(part: "allocation") }
        guard case .sequence(let elements)? = schedules?.content else {
            note(part: "schedules")
            return
        }
        for (place, element) in elements.enumerated() { note(element, at: place, scheduleHoles) }
    }

    /// Whether something of this part of `study.yaml` could not be read.
    func has(_ part: String) -> Bool { pointers.contains("/\(part)") }

    /// Whether the fault may come from what could not be read.
    func contains(_ fault: Fault) -> Bool {
        codes.contains(fault.code)
            || pointers.contains { fault.pointer == $0 || fault.pointer.hasPrefix("\($0)/") }
    }

    private mutating func note(part: String) {
        pointers.insert("/\(part)")
        codes.formUnion(Self.consequences[part] ?? [])
    }

    private mutating func note(_ schedule: YAMLNode, at place: Int, _ holes: Set<Int>) {
        var left = holes.filter { schedule.span.contains($0) }
        guard !left.isEmpty else { return }
        codes.insert("nothing_to_say")
        if case .mapping(let entries) = schedule.content {
            for entry in entries where Self.apart.contains(entry.key) {
                // On its first line a schedule also lacks what it lacks.
                let own = left.filter { line in
                    line != schedule.line && entry.lines.contains(line)
                        && !entries.contains { $0.key != entry.key && $0.lines.contains(line) }
                }
                guard !own.isEmpty else { continue }
                pointers.insert("/schedules/\(place)/\(entry.key)")
                left.subtract(own)
            }
        }
        guard !left.isEmpty else { return }
        schedules.insert(place)
        pointers.insert("/schedules/\(place)")
        codes.formUnion(Self.consequences["schedules"] ?? [])
    }
}

extension YAMLEntry {
    /// From the key to the last part of its value.
    fileprivate var lines: ClosedRange<Int> { line...max(line, value.span.upperBound) }
}
