import SaunterCore

/// Reads a YAML or JSON file that is not part of a pack, such as a made-up participant, as JSON.
package enum YAMLDocument {
    /// - Parameter name: the name of the file, for faults.
    /// - Throws: every fault of the syntax, with its line.
    package static func json(_ text: String, name: String) throws(PackFaults) -> JSON {
        let log = FaultLog(file: name)
        let root = YAMLReader.read(text, log: log)
        guard let root, log.faults.isEmpty else {
            throw PackFaults(
                log.faults.isEmpty
                    ? [PackFault(file: name, line: 1, message: "the file is empty")] : log.faults)
        }
        return root.json
    }
}

extension PackFiles {
    /// The values of a YAML file.
    /// - Throws: a fault if it is missing; the faults of the syntax.
    func document(_ path: String) throws(PackFaults) -> JSON {
        guard let text = self[path] else {
            throw PackFaults([PackFault(file: path, line: 1, message: "the file is missing")])
        }
        return try YAMLDocument.json(text, name: path)
    }
}
