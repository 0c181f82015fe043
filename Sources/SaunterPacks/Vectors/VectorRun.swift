import SaunterCore

/// Runs the test vectors of `vectors.csv`: scores the answers of each case and compares the scores with the expected
/// ones.
struct VectorRun {
    private let text: String?
    private let log: FaultLog
    private let questionnaire: Questionnaire
    private let index: QuestionnaireIndex

    /// No item is required in a test vector, so that a vector can test the effect of a blank.
    init(files: PackFiles, path: String, questionnaire: Questionnaire) {
        text = files[path]
        log = FaultLog(file: path)
        self.questionnaire = Self.withoutRequired(questionnaire)
        index = QuestionnaireIndex(self.questionnaire)
    }

    /// Returns the number of vectors that were run, and the faults.
    func run() -> (count: Int, faults: [PackFault]) {
        guard let text else {
            log.note(1, "the file is missing: an instrument with scores needs worked cases")
            return (0, log.faults)
        }
        guard text.utf8.count <= PackFiles.maximumFileBytes else {
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

    private func run(_ record: CSVRecord, _ columns: VectorColumns) {
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

    /// A copy in which no item is required.
    static func withoutRequired(_ questionnaire: Questionnaire) -> Questionnaire {
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
