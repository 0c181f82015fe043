/// The scripts of the web app as the files that the server sends.
///
/// A script is one module. The server sends scripts in files, because one file is smaller than several and needs one
/// request. The first of these rules that applies to a script gives its file:
/// 1. A script that no other script imports, or that is loaded with `import("./name.js")`, has its own file.
/// 2. `app.js` is on every page. Its file contains all scripts that it imports, directly or not.
/// 3. A script that only one file imports is in that file.
/// 4. A script that several files of one page import is in the file of the page's script, if that file imports it.
/// 5. Every other script has its own file.
///
/// The scripts of one file share their names: no two of them declare the same name outside of a function. An import is
/// one line without `as`, except `* as`.
struct ScriptFiles {
    /// An import that cannot be resolved.
    enum ImportFault: Error, CustomStringConvertible {
        /// There is no script with this name.
        case missing(importer: String, name: String)
        /// The imported script imports its importer, directly or not.
        case circular(importer: String, name: String)

        var description: String {
            switch self {
            case .missing(let importer, let name): "\(importer) imports \(name), which does not exist"
            case .circular(let importer, let name):
                "\(importer) imports \(name), which imports \(importer) directly or through other scripts"
            }
        }
    }

    private static let onEveryPage = "app.js"

    /// The clause and the script of a line that imports; nil for another line. Most lines need no regular expression,
    /// whose creation would take most of the start of a server.
    private static func importLine(_ line: Substring) -> (clause: Substring?, script: String)? {
        guard line.utf8.starts(with: "import ".utf8) else { return nil }
        return line.wholeMatch(of: /import (?:(.+) from )?"\.\/([a-z_]+\.js)";/).map {
            ($0.output.1, String($0.output.2))
        }
    }

    private let scripts: [String: String]
    /// Script -> the scripts that it imports before it runs.
    private let imports: [String: [String]]
    /// Script -> the file that has it.
    private let homes: [String: String]

    /// - Parameter scripts: name -> text. Each import is a complete line without indentation.
    /// - Throws: an ``ImportFault``.
    init(_ scripts: [String: String]) throws {
        let imports = scripts.mapValues { text in
            text.split(separator: "\n").compactMap { Self.importLine($0)?.script }
        }
        var loads: [String: [String]] = [:]
        for (name, text) in scripts {
            let found = text.matches(of: /import\("\.\/([a-z_]+\.js)"\)/).map { String($0.output.1) }
            for other in found + (imports[name] ?? []) where scripts[other] == nil {
                throw ImportFault.missing(importer: name, name: other)
            }
            loads[name] = found
        }
        let imported = Set(imports.values.joined())
        let firsts = scripts.keys.filter { !imported.contains($0) || loads.values.joined().contains($0) }
        var homes = Dictionary(uniqueKeysWithValues: firsts.map { ($0, $0) })
        for name in try Self.order([Self.onEveryPage].filter { scripts[$0] != nil }, imports, homes) {
            homes[name] = Self.onEveryPage
        }
        let fixed = homes
        // Script -> the pages' scripts that import or load it, directly or not; the files that import it.
        var pages: [String: Set<String>] = [:]
        var users: [String: [String]] = [:]
        for first in firsts where first != Self.onEveryPage {
            for name in try Self.order([first], imports, fixed) where name != first {
                users[name, default: []].append(first)
            }
        }
        for first in firsts where !loads.values.joined().contains(first) {
            var waiting = [first]
            var found: Set = [first]
            while let name = waiting.popLast() {
                pages[name, default: []].insert(first)
                for other in (imports[name] ?? []) + (loads[name] ?? []) where found.insert(other).inserted {
                    waiting.append(other)
                }
            }
        }
        for (name, users) in users {
            let only = pages[name]?.count == 1 ? pages[name]?.first : nil
            homes[name] = users.count == 1 ? users[0] : only.flatMap { users.contains($0) ? $0 : nil } ?? name
        }
        self.scripts = scripts
        self.imports = imports
        self.homes = homes
    }

    /// The scripts and those that they import, each after those that it imports. Those that have a file already are
    /// left out.
    private static func order(
        _ first: [String], _ imports: [String: [String]], _ homes: [String: String]
    ) throws -> [String] {
        var found: [String] = []
        func add(_ name: String, _ importers: [String]) throws {
            guard !found.contains(name) else { return }
            for other in imports[name] ?? [] where homes[other] == nil {
                if importers.contains(other) || other == name {
                    throw ImportFault.circular(importer: name, name: other)
                }
                try add(other, importers + [name])
            }
            found.append(name)
        }
        for name in first { try add(name, []) }
        return found
    }

    /// The name of the file that has a script; the name itself if there is no such script.
    func file(of script: String) -> String { homes[script] ?? script }

    /// File -> text. An import of a script names the file that has it, and an import within a file is left out.
    /// - Throws: an ``ImportFault``.
    func texts() throws -> [String: String] {
        var texts: [String: String] = [:]
        for file in Set(homes.values) {
            let others = homes.filter { $0.value != file }
            texts[file] = text(of: file, try Self.order([file], imports, others))
        }
        return texts
    }

    private func text(of file: String, _ members: [String]) -> String {
        var names: [String: Set<String>] = [:]
        var whole: Set<String> = []
        var lines: [Substring] = []
        for line in members.flatMap({ (scripts[$0] ?? "").split(separator: "\n") }) {
            guard let found = Self.importLine(line) else {
                lines.append(line)
                continue
            }
            let other = self.file(of: found.script)
            guard other != file else { continue }
            guard let clause = found.clause else {
                whole.insert("import \"./\(other)\";")
                continue
            }
            if clause.hasPrefix("{") {
                let listed = clause.dropFirst().dropLast().split(separator: ",")
                names[other, default: []].formUnion(listed.map { $0.filter { $0 != " " } })
            } else {
                whole.insert("import \(clause) from \"./\(other)\";")
            }
        }
        let heads = names.map {
            "import { \($0.value.sorted().joined(separator: ", ")) } from \"./\($0.key)\";"
        }
        return (heads.sorted() + whole.sorted() + lines.map(String.init)).joined(separator: "\n") + "\n"
    }

    /// The files that a file imports before it runs.
    static func imports(in text: String) -> Set<String> {
        Set(text.split(separator: "\n").compactMap { importLine($0)?.script })
    }
}
