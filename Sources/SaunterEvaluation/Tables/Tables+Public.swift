/// The files of the profile `public`: counts and means of enough people, and nothing else.
extension Tables {
    static let publicPeople = Table(
        "public_people", "Participants by arm and by status", key: ["dimension", "code"],
        statement: SQLFile.published["dataset_public_people"],
        columns: [
            [
                Column("dimension", .string, "What is counted by: all, arm, status", source: .design),
                Column("code", .string, "Arm or status", source: .design),
                .people, .suppressed,
            ]
        ])

    static let publicAnswers = Table(
        "public_answers", "How people answered each item, in the first sheet that counts of each of them",
        key: ["instrument", "item", "option", "code"],
        statement: SQLFile.published["dataset_public_answers"],
        frames: [.sheetInScope, .definition, .firstSheet, .answer],
        columns: [
            [
                .instrument, .item, .option,
                Column(
                    "code", .string, "Value; 1 or 0 for an option of several; `blank` where there was none",
                    source: .answer),
                .people, .suppressed,
            ]
        ])

    static let publicStatistics = Table(
        "public_statistics", "Means over people, of each person's mean",
        key: ["kind", "instrument", "name", "arm"],
        statement: SQLFile.published["dataset_public_statistics"],
        frames: [.sheetInScope, .definition, .firstSheet, .answer, .presentScore],
        columns: [
            [
                Column("kind", .string, "score, answer, adherence or walk", source: .design),
                Column("instrument", .string, "Instrument; blank for walks", source: .design),
                Column("name", .string, "Scale, item or measure", source: .design),
                Column("arm", .string, "Arm; `all` for everybody", source: .design),
                Column(
                    "people_at_least", .integer,
                    "People that it is of, in full tens: the exact number would tell how few have none",
                    source: .derived),
                Column("mean", .number, "Mean over people", source: .derived),
                Column("sd", .number, "Standard deviation over people (n - 1)", source: .derived),
                .suppressed,
            ]
        ])
}

extension Column {
    fileprivate static let people = Column(
        "people", .integer, "How many people; blank where it is held back", source: .derived)
    fileprivate static let suppressed = Column.flag(
        "suppressed", "Held back, because it or another number is of too few people", source: .derived)
}

extension Table.Frame {
    fileprivate static let firstSheet = Table.Frame(
        name: "answered_sheet", statement: SQLFile.published["dataset_first_sheet"])
}
