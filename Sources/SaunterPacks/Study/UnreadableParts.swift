import SaunterCore

/// The parts of `study.yaml` and `schedule.yaml` that could not be read, and the faults that possibly only result from
/// that. All other rules are still applied. In doubt a fault is suppressed, as in `DependentFaults`.
struct UnreadableParts {
    /// The positions of the schedules that were not read completely. Their windows are not checked.
    private(set) var schedules: Set<Int> = []
    /// Pointers to the parts that were not read completely. Faults below them are suppressed.
    private var pointers: Set<String> = []
    /// The codes of faults that are suppressed everywhere.
    private var codes: Set<String> = []

    /// Key -> codes of faults in other parts that possibly result from the unreadable part.
    private static let dependentCodes: [String: Set<String>] = [
        "questionnaires": ["unknown_questionnaire", "never_used", "no_questionnaire"],
        "arms": ["unknown_arm"],
        "allocation": ["unknown_factor", "unknown_level"],
        "events": ["unknown_event"],
        "phases": ["unknown_phase", "never_used"],
        "schedules": ["never_asked", "never_begins", "never_used", "nothing_to_say", "unknown_schedule"],
        "any_time": [
            "never_asked", "never_begins", "not_any_time", "does_not_refer", "not_active", "no_reference",
        ],
        "settings": ["never_asked", "unknown_setting"],
        "features": ["unknown_feature"],
        "entitlements": ["unknown_entitlement", "unknown_plan"],
        "data_kinds": ["unknown_data_kind"],
        "walking": ["no_walks"],
        "reminder": ["no_reminder"],
        "links": ["unknown_placeholder"],
        "notices": ["unknown_notice", "never_used", "nothing_to_say"],
    ]

    /// The keys of a schedule that do not affect its windows.
    private static let keysWithoutWindows: Set<String> = [
        "zone_policy", "late_policy", "reminded", "reminders",
    ]

    /// - Parameters:
    ///   - study: `study.yaml`.
    ///   - unreadableLines: its lines on which something could not be read.
    ///   - schedules: the list in `schedule.yaml`; nil if there is none.
    ///   - unreadableScheduleLines: the lines of that file on which something could not be read.
    init(study: YAMLNode?, unreadableLines: Set<Int>, schedules: YAMLNode?, unreadableScheduleLines: Set<Int>)
    {
        for key in StudyParser.required where study?[key] == nil { markUnreadable(part: key) }
        if case .mapping(let entries)? = study?.content {
            for entry in entries where unreadableLines.contains(where: { entry.lines.contains($0) }) {
                markUnreadable(part: entry.key)
            }
        }
        // Block sizes and probabilities depend on the arms.
        if has("arms") { markUnreadable(part: "allocation") }
        guard case .sequence(let elements)? = schedules?.content else {
            markUnreadable(part: "schedules")
            return
        }
        for (index, element) in elements.enumerated() {
            markUnreadable(schedule: element, at: index, unreadableScheduleLines)
        }
    }

    /// Whether this part of `study.yaml` was not read completely.
    func has(_ part: String) -> Bool { pointers.contains("/\(part)") }

    /// Whether the fault possibly only results from an unreadable part.
    func contains(_ fault: Fault) -> Bool {
        codes.contains(fault.code)
            || pointers.contains { fault.pointer == $0 || fault.pointer.hasPrefix("\($0)/") }
    }

    private mutating func markUnreadable(part: String) {
        pointers.insert("/\(part)")
        codes.formUnion(Self.dependentCodes[part] ?? [])
    }

    /// Marks the schedule, or only some of its keys, if one of the lines is in it.
    private mutating func markUnreadable(
        schedule: YAMLNode, at index: Int, _ unreadableLines: Set<Int>
    ) {
        var remaining = unreadableLines.filter { schedule.span.contains($0) }
        guard !remaining.isEmpty else { return }
        codes.insert("nothing_to_say")
        if case .mapping(let entries) = schedule.content {
            for entry in entries where Self.keysWithoutWindows.contains(entry.key) {
                // A missing member is reported on the first line of the schedule.
                let own = remaining.filter { line in
                    line != schedule.line && entry.lines.contains(line)
                        && !entries.contains { $0.key != entry.key && $0.lines.contains(line) }
                }
                guard !own.isEmpty else { continue }
                pointers.insert("/schedules/\(index)/\(entry.key)")
                remaining.subtract(own)
            }
        }
        guard !remaining.isEmpty else { return }
        schedules.insert(index)
        pointers.insert("/schedules/\(index)")
        codes.formUnion(Self.dependentCodes["schedules"] ?? [])
    }
}

extension YAMLEntry {
    /// From the line of the key to the last line of the value.
    fileprivate var lines: ClosedRange<Int> { line...max(line, value.span.upperBound) }
}
