import SaunterCore

/// Runs the worked cases of `vectors.csv`: answers in, scores out, each compared with what the table expects.
struct VectorRun {
    private let text: String?
    private let log: FaultLog
    private let questionnaire: Questionnaire
    private let index: QuestionnaireIndex

    /// In the cases nothing is required, so that they can show what a blank does to a score.
    init(files: PackFiles, path: String, questionnaire: Questionnaire) {
        text = files[path]
        log = FaultLog(file: path)
        self.questionnaire = Self.withoutRequired(questionnaire)
        index = QuestionnaireIndex(self.questionnaire)
    }

    /// The number of cases that were run, and the faults.
    func run() -> (count: Int, faults: [PackFault]) {
        guard let text else {
            log.note(1, "the file is missing: an instrument with scores needs worked cases")
            return (0, log.faults)
        }
        guard text.utf8.count <= YAMLBounds.maximumBytes else {
            log.note(1, "larger than 1 MiB")
            return (0, log.faults)
        }
        guard let table = CSVTable(text, log: log),
            let columns = VectorColumns(table.header, questionnaire, log)
        else {
            return (0, log.faults)
        }
        if table.records.isEmpty { log.note(1, "there are no cases") }
        for record in table.records { run(record, columns) }
        return (table.records.count, log.faults)
    }

    private func run(_ record: CSVTable.Record, _ columns: VectorColumns) {
        let name = columns.name(record)
        do {
            let sheet = try AnswerSheet(answers: columns.answers(record), of: index)
            for linkId in sheet.cleared {
                log.note(record.line, "case \"\(name)\": \(linkId) is answered, but it is not shown")
            }
            for score in index.scores(for: sheet, covariates: columns.covariates(record)) {
                columns.compare(score, record, log)
            }
        } catch {
            for fault in error.list {
                log.note(
                    record.line,
                    "case \"\(name)\": \(fault.pointer.dropFirst("/answers/".count)): \(fault.detail)")
            }
        }
    }

    private static func withoutRequired(_ questionnaire: Questionnaire) -> Questionnaire {
        func relaxed(_ items: [Item]) -> [Item] {
            items.map { item in
                var item = item
                item.required = false
                item.item = relaxed(item.item)
                return item
            }
        }
        var questionnaire = questionnaire
        questionnaire.item = relaxed(questionnaire.item)
        return questionnaire
    }
}
