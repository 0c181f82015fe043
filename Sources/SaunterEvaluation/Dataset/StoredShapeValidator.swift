import Postgres
import SaunterCore

/// Checks that the stored answers have as many slots and numbers as their version defines, before any answer is
/// exported. A missing slot would be exported as a blank without a reason.
struct StoredShapeValidator {
    private struct Shape: Hashable {
        let slots: Int
        let numbers: Int
    }

    private var expected: [String: Shape] = [:]

    init(_ definitions: StudyDefinitions) {
        for questionnaire in definitions.instruments.flatMap(\.versions) {
            let codec = AnswerCodec(questionnaire)
            expected["\(questionnaire.code)@\(questionnaire.version)"] = Shape(
                slots: codec.slots.count, numbers: codec.numberCount)
        }
    }

    /// - Parameter rows: rows of the statement `dataset_shapes`.
    /// - Throws: `DatasetFault.damaged`.
    func check(_ rows: Rows) throws {
        var faults: [String] = []
        for row in rows {
            let questionnaire = try row.get("questionnaire", as: String.self)
            let version = try row.get("version", as: String.self)
            let sheets = try row.get("sheets", as: Int.self)
            let found = Shape(slots: try row.get("slots"), numbers: try row.get("numbers"))
            guard let wanted = expected["\(questionnaire)@\(version)"] else {
                faults.append(
                    "\(sheets) sheets of \(questionnaire) \(version), which the study never published")
                continue
            }
            if wanted != found {
                faults.append(
                    "\(sheets) sheets of \(questionnaire) \(version) with \(found.slots) slots"
                        + " and \(found.numbers) numbers instead of \(wanted.slots) and \(wanted.numbers)")
            }
        }
        guard faults.isEmpty else { throw DatasetFault.damaged(faults) }
    }
}
