import ArgumentParser
import SaunterCore
import SaunterEvaluation

/// Options that select a part of a study, for datasets and reports.
struct FilterOptions: ParsableArguments {
    @Option(help: "First local date, yyyy-mm-dd.", transform: Self.date) var from: LocalDate?
    @Option(help: "Last local date, yyyy-mm-dd.", transform: Self.date) var to: LocalDate?
    @Option(name: .customLong("arm"), help: "Only this arm; repeatable.") var arms: [String] = []

    var isEmpty: Bool { from == nil && to == nil && arms.isEmpty }

    /// - Parameter questionnaires: codes; empty for all.
    func filters(questionnaires: [String]) -> DatasetFilters {
        DatasetFilters(from: from, to: to, questionnaires: questionnaires, arms: arms)
    }

    private static func date(_ text: String) throws -> LocalDate {
        guard let date = LocalDate(text) else {
            throw ValidationError("\(text) is not a date; use the form yyyy-mm-dd")
        }
        return date
    }
}
