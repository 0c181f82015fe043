import ArgumentParser
import Foundation
import Mutations

/// Lists mutants of Swift sources and applies one of them. `Tests/Nightly/mutants` calls it.
@main
struct Mutate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists mutants of Swift sources, and applies one of them.",
        subcommands: [List.self, Apply.self])
}

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the mutants of files and folders as a JSON array, ordered by path and position.")

    @Option(help: "The folder to which paths are relative.")
    var root = "."

    @Option(
        help: "Lists only mutants inside declarations of this name, for example Planner or Planner.occasions."
    )
    var symbol: String?

    @Argument(help: "Swift files, or folders that are searched for Swift files.")
    var paths: [String]

    func run() throws {
        let mutants = try files().flatMap { path in
            Mutant.all(in: try read(path, in: root), path: path)
        }
        let selected = mutants.filter { mutant in symbol.map(mutant.isInside) ?? true }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(selected), as: UTF8.self))
    }

    /// The Swift files of `paths`, relative to `root`, each once, in the order of their names.
    private func files() throws -> [String] {
        var files: Set<String> = []
        for path in paths {
            let url = URL(filePath: root).appending(path: path)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.path(), isDirectory: &isFolder) else {
                throw ValidationError("\(url.path()) does not exist")
            }
            guard isFolder.boolValue else {
                files.insert(path)
                continue
            }
            let names = try FileManager.default.subpathsOfDirectory(atPath: url.path())
            files.formUnion(names.filter { $0.hasSuffix(".swift") }.map { "\(path)/\($0)" })
        }
        return files.sorted()
    }
}

struct Apply: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Changes one file: applies the mutant with this id. The file must be unchanged."
    )

    @Option(help: "The folder to which the path in the id is relative. Give a copy of the sources.")
    var root: String

    @Argument(help: "An id that `mutate list` printed.")
    var id: String

    func run() throws {
        guard let path = id.split(separator: "#").first.map(String.init), id.contains("#") else {
            throw ValidationError("\(id) is no id of a mutant: expected path#symbol:operator:number")
        }
        let source = try read(path, in: root)
        guard let mutant = Mutant.all(in: source, path: path).first(where: { $0.id == id }),
            let changed = mutant.applied(to: source)
        else {
            throw ValidationError("\(path) has no mutant \(id)")
        }
        try changed.write(to: URL(filePath: root).appending(path: path), atomically: true, encoding: .utf8)
    }
}

private func read(_ path: String, in root: String) throws -> String {
    try String(contentsOf: URL(filePath: root).appending(path: path), encoding: .utf8)
}
