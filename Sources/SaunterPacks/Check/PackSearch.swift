import Foundation

/// Finds the packs that a path stands for: a pack's folder, a file in one, or a folder that holds some.
struct PackSearch {
    private static let maximumDepth = 8
    private(set) var places: [PackPlace] = []
    private(set) var faults: [PackFault] = []

    init(paths: [String]) {
        for path in paths { take(path) }
        places = places.reduce(into: []) { places, place in
            if !places.contains(place) { places.append(place) }
        }
    }

    private mutating func take(_ path: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return note(path, "there is no such file or folder")
        }
        if let place = Self.enclosing(path) { return places.append(place) }
        guard isFolder.boolValue else { return note(path, "this file is no part of a pack") }
        let before = places.count + faults.count
        search(path, depth: 0)
        if places.count + faults.count == before { note(path, "there is no pack in this folder") }
    }

    /// The pack that a path is, or lies in.
    private static func enclosing(_ path: String) -> PackPlace? {
        var url = URL(filePath: path).standardizedFileURL
        for _ in 0..<4 {
            if let place = PackPlace(directory: url.path) { return place }
            url = url.deletingLastPathComponent()
        }
        return nil
    }

    private mutating func search(_ folder: String, depth: Int) {
        guard depth < Self.maximumDepth,
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        else {
            return note(folder, "the folder cannot be read, or lies too deep")
        }
        if names.contains(PackPath.study) || names.contains(PackPath.questionnaire) {
            guard let place = PackPlace(directory: folder) else {
                return note(folder, "a pack stands in studies/<code> or in instruments/<code>/<version>")
            }
            return places.append(place)
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
