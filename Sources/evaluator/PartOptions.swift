import ArgumentParser
import SaunterCore
import SaunterEvaluation

/// Which part of a study is wanted; the same for datasets and reports.
struct PartOptions: ParsableArguments {
    @Option(help: "First local date, yyyy-mm-dd.", transform: Self.date) var from: LocalDate?
    @Option(help: "Last local date, yyyy-mm-dd.", transform: Self.date) var to: LocalDate?
    @Option(name: .customLong("arm"), help: "Only this arm; may be repeated.") var arms: [String] = []

    var isEmpty: Bool { from == nil && to == nil && arms.isEmpty }

    /// - Parameter questionnaires: codes; none is all.
    func filters(questionnaires: [String]) -> DatasetFilters {
        DatasetFilters(from: from, to: to, questionnaires: questionnaires, arms: arms)
    }

    private static func date(_ text: String) throws -> LocalDate {
        guard let date = LocalDate(text) else {
            throw ValidationError("\(text) is no date; write yyyy-mm-dd")
        }
        return date
    }
}
