import SaunterCore

/// A study as a longitudinal REDCap project with repeating instruments. A participant is a record, an arm is an arm, a
/// schedule is an event, and each sheet of a schedule is an instance of its form. The project depends only on the
/// definitions of the study.
package struct REDCapProject: Sendable {
    /// An event of the project: a schedule in one arm.
    package struct Event: Sendable, Hashable {
        /// The name with the number of its arm, as in records.
        package let uniqueName: String
        /// The label of the event.
        package let label: String
        /// The number of the arm, from 1.
        package let arm: Int
        /// Names of forms.
        package let forms: [String]
        /// Nil for the event of the enrolment; empty for sheets without an occasion.
        package let schedule: String?
    }

    /// The definitions of the study.
    package let study: StudyDefinitions
    /// Codes of the arms. The first one is arm 1.
    package let arms: [String]
    /// The events of all arms.
    package let events: [Event]
    /// The first form is the participant's.
    package let forms: [REDCapForm]
    /// The schedules of all versions; those of the newest version are first.
    let schedules: [String]

    /// Derives the project from the definitions of a study.
    package init(_ study: StudyDefinitions) {
        self.study = study
        arms = study.arms
        var formNames = REDCapNames()
        var names = REDCapNames()
        _ = names.makeName("record_id", of: "record_id")
        let participant = formNames.makeName("enrolment", of: "")
        var forms = [REDCapForm.participant(study, name: participant, &names)]
        var formOf: [String: String] = [:]
        for instrument in study.instruments {
            let name = formNames.makeName(instrument.code, of: instrument.code)
            formOf[instrument.code] = name
            forms.append(REDCapForm(instrument, study, name: name, &names))
        }
        self.forms = forms
        var schedules: [Schedule] = []
        for schedule in study.versions.reversed().flatMap(\.study.schedules) {
            if let index = schedules.firstIndex(where: { $0.id == schedule.id }) {
                // The schedule belongs to the arms of all versions. A schedule without arms belongs to every arm.
                let isEverywhere = schedule.arms.isEmpty || schedules[index].arms.isEmpty
                schedules[index].arms = isEverywhere ? [] : schedules[index].arms + schedule.arms
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
        arms.enumerated().flatMap { index, arm -> [Event] in
            var names = REDCapNames()
            let number = index + 1
            func event(_ name: String, _ label: String, _ forms: [String], _ schedule: String?) -> Event {
                Event(
                    uniqueName: "\(names.makeName(name, of: schedule ?? "enrolment event"))_arm_\(number)",
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

    /// The event of a sheet, or of the enrolment; `schedule` is as in `Event.schedule`. An unknown arm counts as arm 1.
    /// A sheet whose schedule does not belong to the arm has the event `unscheduled`.
    package func event(arm: String, schedule: String?) -> Event? {
        let number = (arms.firstIndex(of: arm) ?? 0) + 1
        let own = events.filter { $0.arm == number }
        return own.first { $0.schedule == schedule } ?? own.first { $0.schedule == "" }
    }

    /// The form with a name. Nil if the project has no such form.
    package func form(_ name: String) -> REDCapForm? { forms.first { $0.name == name } }

    /// All fields in the order of forms.
    package var fields: [REDCapField] { forms.flatMap(\.fields) }
}
