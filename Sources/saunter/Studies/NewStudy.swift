import ArgumentParser
import Console
import Foundation
import SaunterCore
import SaunterPacks

/// Writes a small study to start from.
struct NewStudy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Write a small study to start from: one questionnaire, asked every evening for two weeks.",
        discussion: """
            The files are explained by comments, and step by step in Questionnaires/README.md. They are complete: saunter check \
            finds no fault. Existing files are not overwritten.

            Example: saunter new my-packs --study sleep-diary
            """)

    @Argument(help: "The folder of the packs, which is created if it is missing.") var folder: String
    @Option(help: "The code of the study: lower-case letters, digits and hyphens.")
    var study = StudyTemplate.code
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard study.wholeMatch(of: /[a-z][a-z0-9-]{0,39}/) != nil else {
            throw ValidationError(
                "--study must be 1 to 40 lower-case letters, digits and hyphens, and begin with a letter")
        }
    }

    func run() throws {
        let files = StudyTemplate.files(study: study)
        let base = URL(filePath: folder, directoryHint: .isDirectory)
        // Checks all files before the first is written, so that no half of a study is left.
        for file in files where FileManager.default.fileExists(atPath: base.appending(path: file.path).path) {
            throw CommandFault("\(folder)/\(file.path) already exists; nothing was written")
        }
        for file in files {
            let url = base.appending(path: file.path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.text.utf8).write(to: url, options: .withoutOverwriting)
        }
        if json {
            let paths = files.map { JSON.string("\(folder)/\($0.path)") }
            return Terminal.line(JSON.object(["study": .string(study), "files": .array(paths)]).text)
        }
        for file in files { Terminal.line("\(folder)/\(file.path)") }
        Terminal.note("next: saunter check \(folder), saunter simulate \(folder)/studies/\(study)")
    }
}
