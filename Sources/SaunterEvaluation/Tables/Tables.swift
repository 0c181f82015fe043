/// The files of rows that a study has, by its definitions alone: what was answered never adds or removes a column.
enum Tables {
    static func all(_ definitions: StudyDefinitions) -> [Table] {
        [participants, enrolments, occasions, sheets, answers]
            + definitions.instruments.flatMap { [Wide(of: $0).values, Wide(of: $0).reasons] }
            + [scores, walks, calibrations, reminders, adherenceDaily, revisions, freeText]
    }
}
