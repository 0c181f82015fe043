import SaunterCore

/// A questionnaire that is added to a study: to the list in `study.yaml` and, if wanted, to `schedule.yaml` or
/// `any_time`. Comments and all other lines of these files stay as they are.
package struct AddedQuestionnaire: Sendable {
    /// When the questionnaire is asked.
    package enum Frequency: String, Sendable, CaseIterable {
        /// Once after the enrolment.
        case once
        /// Every day from the enrolment.
        case daily
        /// Every seven days from the enrolment.
        case weekly
        /// Whenever the participant wants.
        case anyTime = "any_time"
    }

    /// What became of one part.
    package enum Change: String, Sendable, CaseIterable {
        case added, changed, unchanged
        /// Nothing was asked for.
        case none
    }

    /// The files after the addition, and what was changed.
    package struct Result: Sendable {
        /// The files of the pack by path.
        package var files: [String: String]
        /// The reference in `study.yaml`. It is changed if the study had another version of the questionnaire.
        package var reference = Change.none
        /// The schedule, or the entry in `any_time`. It is unchanged if the questionnaire already had one.
        package var schedule = Change.none
    }

    /// The code of the instrument.
    package let code: String
    /// The version of the instrument.
    package let version: String
    /// When it is asked.
    package let frequency: Frequency
    /// When a window opens, and when it closes; before or at the opening means on the next day. Nil for `once` means a
    /// week from the enrolment. Without effect for `anyTime`.
    package let window: (open: LocalTime, close: LocalTime)?

    /// - Parameter window: required for `daily` and `weekly`.
    package init(
        code: String, version: String, frequency: Frequency, window: (open: LocalTime, close: LocalTime)?
    ) {
        self.code = code
        self.version = version
        self.frequency = frequency
        self.window = window
    }

    /// Adds the questionnaire to the files of a study.
    /// - Throws: the faults that prevent it: a file that cannot be read, or whose layout cannot be extended.
    package func add(to files: PackFiles, study: String) throws(PackFaults) -> Result {
        guard let folder = PackPath.study(study), let text = files[folder + PackPath.study] else {
            throw PackFaults([
                PackFault(file: "studies/\(study)/\(PackPath.study)", line: 1, message: "the file is missing")
            ])
        }
        var result = Result(files: files.files)
        var study = YAMLListEditor(text, file: folder + PackPath.study)
        result.reference = try addReference(to: &study)
        if frequency == .anyTime {
            result.schedule = try addEntry(to: &study)
        } else {
            let path = folder + PackPath.schedule
            var schedules = YAMLListEditor(files[path] ?? "schedules:\n", file: path)
            result.schedule = try addSchedule(to: &schedules, days: Self.days(of: study))
            result.files[path] = schedules.text
        }
        result.files[folder + PackPath.study] = study.text
        return result
    }

    // MARK: study.yaml

    private func addReference(to study: inout YAMLListEditor) throws(PackFaults) -> Change {
        let references = try study.values()["questionnaires"]?.elements ?? []
        guard let index = references.firstIndex(where: { $0["code"]?.scalar?.text == code }) else {
            try study.append(.init("{code: \(code), version: \(version)}"), to: "questionnaires")
            return .added
        }
        if references[index]["version"]?.scalar?.text == version { return .unchanged }
        try study.replace("version", at: index, of: "questionnaires", by: version)
        return .changed
    }

    private func addEntry(to study: inout YAMLListEditor) throws(PackFaults) -> Change {
        let entries = try study.values()["any_time"]?.elements ?? []
        let isKnown = entries.contains {
            ($0.scalar ?? $0["questionnaire"]?.scalar)?.text == code
        }
        if isKnown { return .unchanged }
        try study.append(.init(code), to: "any_time")
        return .added
    }

    /// The number of the last day.
    private static func days(of study: YAMLListEditor) throws(PackFaults) -> Int {
        let root = try study.values()
        guard let days = root["days"]?.scalar?.integer, (0...Study.maximumDays).contains(days) else {
            throw PackFaults([
                PackFault(
                    file: study.file, line: root["days"]?.line ?? 1,
                    message: "the schedule needs \"days\", a whole number from 0 to \(Study.maximumDays)")
            ])
        }
        return days
    }

    // MARK: schedule.yaml

    private func addSchedule(to schedules: inout YAMLListEditor, days: Int) throws(PackFaults) -> Change {
        let known = try schedules.values()["schedules"]?.elements ?? []
        if known.contains(where: { $0["questionnaire"]?.scalar?.text == code }) { return .unchanged }
        var members = [
            "id: \(id(besides: Set(known.compactMap { $0["id"]?.scalar?.text })))", "questionnaire: \(code)",
        ]
        // Participants who enrol in the evening would miss a window of the day of enrolment.
        if frequency == .once, window != nil, days > 0 { members.append("offset_days: 1") }
        members.append("recurrence: \(recurrence(days: days))")
        let element = YAMLListEditor.Element(
            "{\((members + ["slots: [\(slot)]"]).joined(separator: ", "))}",
            block: members + ["slots:", "  - \(slot)"])
        try schedules.append(element, to: "schedules")
        return .added
    }

    /// The code of the questionnaire, with a number if another schedule has this id.
    private func id(besides known: Set<String>) -> String {
        guard known.contains(code) else { return code }
        return (2...known.count + 2).lazy.map { "\(code)_\($0)" }.first { !known.contains($0) } ?? code
    }

    private func recurrence(days: Int) -> String {
        let last = max(days - 1, 0)
        return switch frequency {
        case .once, .anyTime: "once"
        case .daily: "{every: {days: 1, until_day: \(last)}}"
        case .weekly: "{every: {days: 7, until_day: \(last)}}"
        }
    }

    private var slot: String {
        guard let window else { return "{open: {after_anchor: 0m}, due_after: 2d, close_after: 7d}" }
        let seconds = window.close.seconds - window.open.seconds
        let length = Self.duration(seconds > 0 ? seconds : seconds + 86_400)
        return "{open: \"\(window.open)\", due_after: \(length), close_after: \(length)}"
    }

    /// A duration of at most a day, such as `1h30m`.
    private static func duration(_ seconds: Int) -> String {
        [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")]
            .filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
    }
}

extension YAMLNode {
    /// The elements of a list; nil if this is not a list.
    fileprivate var elements: [YAMLNode]? {
        guard case .sequence(let elements) = content else { return nil }
        return elements
    }
}
