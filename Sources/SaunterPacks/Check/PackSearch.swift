import Foundation

/// Finds the packs at a path: the folder of a pack, a file in such a folder, or a folder that contains packs.
struct PackSearch {
    private static let maximumDepth = 8
    /// Without duplicates.
    private(set) var locations: [PackLocation] = []
    private(set) var faults: [PackFault] = []

    init(paths: [String]) {
        for path in paths { add(path) }
        locations = locations.reduce(into: []) { locations, location in
            if !locations.contains(location) { locations.append(location) }
        }
    }

    private mutating func add(_ path: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return note(path, "there is no such file or folder")
        }
        if let location = Self.enclosing(path) { return locations.append(location) }
        guard isFolder.boolValue else { return note(path, "this file is not part of a pack") }
        let before = locations.count + faults.count
        search(path, depth: 0)
        if locations.count + faults.count == before { note(path, "there is no pack in this folder") }
    }

    /// The pack that contains the path, or whose folder it is.
    private static func enclosing(_ path: String) -> PackLocation? {
        var url = URL(filePath: path).standardizedFileURL
        for _ in 0..<4 {
            if let location = PackLocation(directory: url.path) { return location }
            url = url.deletingLastPathComponent()
        }
        return nil
    }

    private mutating func search(_ folder: String, depth: Int) {
        guard depth < Self.maximumDepth else { return note(folder, "nested too deeply") }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            return note(folder, "the folder cannot be read")
        }
        if names.contains(PackPath.study) || names.contains(PackPath.questionnaire) {
            guard let location = PackLocation(directory: folder) else {
                return note(folder, "a pack must be in studies/<code> or in instruments/<code>/<version>")
            }
            return locations.append(location)
        }
        for name in names.sorted() where !name.hasPrefix(".") {
            var isFolder: ObjCBool = false
            let path = folder + (folder.hasSuffix("/") ? "" : "/") + name
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
                search(path, depth: depth + 1)
            }
        }
    }

    private mutating func note(_ path: String, _ message: String) {
        faults.append(PackFault(file: path, line: 1, message: message))
    }
}
