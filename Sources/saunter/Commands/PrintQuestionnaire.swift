import ArgumentParser
import Console
import SaunterCore

/// Writes questionnaires as a page for people who decide about a study.
struct PrintQuestionnaire: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Write a questionnaire as an HTML page to print, for example for an ethics board.",
        discussion: """
            The page shows every item with its options, its conditions and its bounds, and the scales that are computed. It needs \
            no internet connection. A browser prints it as PDF. For the folder of a study the page contains all its \
            questionnaires. Prints to standard output unless --out names a file.

            Example: saunter print Questionnaires/instruments/phq_9/1.0.0 --language de --out phq_9.html
            Example: saunter print Questionnaires/studies/mindful-walking --out questionnaires.html
            """)

    @Argument(
        help: "The folder of one version of an instrument, or the folder of a study for all its instruments.")
    var path: String
    @Option(help: "The language of the texts; unset: the first language of the questionnaire.")
    var language: String?
    @Option(help: "The file to write; it must not exist.") var out: String?

    func run() throws {
        let questionnaires = try PackFolder.instruments(at: path).map(\.questionnaire)
        let pages = try questionnaires.map { questionnaire in
            let language = language ?? questionnaire.languages.first ?? "en"
            guard let text = questionnaire.text[language] else {
                throw CommandFault(
                    "\(questionnaire.code) \(questionnaire.version) has no texts in \(language): it has "
                        + questionnaire.languages.joined(separator: ", "))
            }
            return PrintedQuestionnaire(questionnaire, text, language: language)
        }
        try DocumentOutput.write(Array(PrintedQuestionnaire.page(pages).utf8), to: out)
    }
}
