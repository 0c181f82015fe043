/// The tables of the profile `public`: only counts and means of groups that are large enough.
extension Tables {
    static let publicPeople = Table(
        "public_people", "Participants by arm and by status", key: ["dimension", "code"],
        statement: SQLFile.published["dataset_public_people"],
        columns: [
            [
                Column(
                    "dimension", .string, "How participants are grouped: all, arm, status", source: .design),
                Column("code", .string, "Arm or status", source: .design),
                .people, .suppressed,
            ]
        ])

    static let publicAnswers = Table(
        "public_answers",
        "Answers to each choice and boolean item, from the first sheet that counts of each participant",
        key: ["instrument", "item", "option", "code"],
        statement: SQLFile.published["dataset_public_answers"],
        ctes: [.sheetInScope, .definition, .firstSheet, .answer],
        columns: [
            [
                .instrument, .item, .option,
                Column(
                    "code", .string,
                    "Value; 1 or 0 for an option, if several can be chosen; `blank` if there is no value",
                    source: .answer),
                .people, .suppressed,
            ]
        ])

    static let publicStatistics = Table(
        "public_statistics",
        "Means over participants: of the first answer of each participant, and of the mean score, adherence and walk of each",
        key: ["kind", "instrument", "name", "arm"],
        statement: SQLFile.published["dataset_public_statistics"],
        ctes: [.sheetInScope, .definition, .firstSheet, .answer, .presentScore],
        columns: [
            [
                Column("kind", .string, "score, answer, adherence or walk", source: .design),
                Column("instrument", .string, "Instrument; blank for walks", source: .design),
                Column("name", .string, "Scale, item or measure", source: .design),
                Column("arm", .string, "Arm; `all` for all participants", source: .design),
                Column(
                    "people_at_least", .integer,
                    "Participants, rounded down to tens: the exact number would reveal how few have no value",
                    source: .derived),
                Column("mean", .number, "Mean over participants", source: .derived),
                Column("sd", .number, "Standard deviation over participants (n - 1)", source: .derived),
                .suppressed,
            ]
        ])
}

extension Column {
    fileprivate static let people = Column(
        "people", .integer, "Number of participants; blank if it is suppressed", source: .derived)
    fileprivate static let suppressed = Column.flag(
        "suppressed", "Suppressed: this or a related number counts too few participants", source: .derived)
}

extension Table.CTE {
    fileprivate static let firstSheet = Table.CTE(
        name: "answered_sheet", statement: SQLFile.published["dataset_first_sheet"])
}
