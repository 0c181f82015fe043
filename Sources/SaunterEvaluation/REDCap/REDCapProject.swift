import SaunterCore

/// A study as a REDCap project, longitudinal with repeating instruments: a participant is a record, an arm an arm, a schedule an event, and
/// each sheet of a schedule an instance of its form. It follows from the study's definitions alone.
package struct REDCapProject: Sendable {
    package struct Event: Sendable, Hashable {
        /// With the number of its arm, as records name it.
        package let uniqueName: String
        package let label: String
        /// From 1.
        package let arm: Int
        /// Names of forms.
        package let forms: [String]
        /// Nil for the event of the enrolment itself; empty for sheets that answer no occasion.
        package let schedule: String?
    }

    package let study: StudyDefinitions
    /// Codes; arm 1 is the first.
    package let arms: [String]
    package let events: [Event]
    /// The participant's form is the first.
    package let forms: [REDCapForm]
    /// Every schedule of any version, those of the newest first.
    let schedules: [String]

    package init(_ study: StudyDefinitions) {
        self.study = study
        arms = study.arms
        var formNames = REDCapNames()
        var names = REDCapNames()
        _ = names.take("record_id", of: "record_id")
        let participant = formNames.take("enrolment", of: "")
        var forms = [REDCapForm.participant(study, name: participant, &names)]
        var formOf: [String: String] = [:]
        for instrument in study.instruments {
            let name = formNames.take(instrument.code, of: instrument.code)
            formOf[instrument.code] = name
            forms.append(REDCapForm(instrument, study, name: name, &names))
        }
        self.forms = forms
        var schedules: [Schedule] = []
        for schedule in study.versions.reversed().flatMap(\.study.schedules) {
            if let place = schedules.firstIndex(where: { $0.id == schedule.id }) {
                // It belongs to the arms of all versions; no arm named is every arm.
                let isEverywhere = schedule.arms.isEmpty || schedules[place].arms.isEmpty
                schedules[place].arms = isEverywhere ? [] : schedules[place].arms + schedule.arms
            } else {
                schedules.append(schedule)
            }
        }
        self.schedules = schedules.map(\.id)
        events = Self.events(study, arms, schedules, participant, formOf)
    }

    private static func events(
        _ study: StudyDefinitions, _ arms: [String], _ schedules: [Schedule], _ participant: String,
        _ formOf: [String: String]
    ) -> [Event] {
        arms.enumerated().flatMap { place, arm -> [Event] in
            var names = REDCapNames()
            let number = place + 1
            func event(_ name: String, _ label: String, _ forms: [String], _ schedule: String?) -> Event {
                Event(
                    uniqueName: "\(names.take(name, of: schedule ?? "enrolment event"))_arm_\(number)",
                    label: label, arm: number, forms: forms, schedule: schedule)
            }
            let all = study.instruments.compactMap { formOf[$0.code] }
            return [
                event("enrolment", "Enrolment", [participant], nil),
                event("unscheduled", "Unscheduled", all, ""),
            ]
                + schedules.filter { $0.arms.isEmpty || $0.arms.contains(arm) }.map { schedule in
                    event(
                        schedule.id, schedule.id.replacing("_", with: " "),
                        [formOf[schedule.questionnaire]].compactMap(\.self), schedule.id)
                }
        }
    }

    /// The event of a sheet. One whose arm or schedule no version has any more is told as unscheduled.
    package func event(arm: String, schedule: String?) -> Event? {
        let number = (arms.firstIndex(of: arm) ?? 0) + 1
        let own = events.filter { $0.arm == number }
        return own.first { $0.schedule == schedule } ?? own.first { $0.schedule == "" }
    }

    package func form(_ name: String) -> REDCapForm? { forms.first { $0.name == name } }

    /// Every field in the order of forms.
    package var fields: [REDCapField] { forms.flatMap(\.fields) }
}
