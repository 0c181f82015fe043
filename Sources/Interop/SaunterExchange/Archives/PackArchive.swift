import CArchive
import Foundation
import SaunterCore
import SaunterPacks

/// The files of a study in a zip archive: a folder of packs, or the folder of one study with its instruments, at any
/// depth. Archives come from the network, so their size is limited while they are read, and nothing is written to disk.
package struct PackArchive: Sendable {
    /// More entries are not read: a folder of packs has fewer.
    private static let maximumEntries = 20_000
    /// The limit of all files that are read, before those of other studies are left out.
    private static let maximumTotalBytes = 64 << 20
    /// The limit of all files of more than 1 MiB, which only media can be.
    private static let maximumMediaBytes = 96 << 20
    private static let maximumFaults = 100
    /// `AE_IFMT`, `AE_IFREG` and `AE_IFDIR` of <archive_entry.h>, which Swift does not import.
    private static let typeMask: UInt32 = 0o170000
    private static let regularFile: UInt32 = 0o100000
    private static let folderType: UInt32 = 0o040000

    /// The files of the study and of its instruments.
    package let files: PackFiles
    /// The bytes of the media to which `files` only has references, by path. The caller stores them.
    package let media: [String: Data]

    /// - Parameter study: the code of the study whose files are taken.
    /// - Throws: all faults of the archive.
    package init(_ bytes: [UInt8], study: String) throws(PackFaults) {
        var reading = Reading()
        reading.read(bytes)
        guard reading.faults.isEmpty else { throw PackFaults(reading.faults) }
        var layout = Layout(paths: reading.data.keys.sorted(), study: study)
        var texts: [String: String] = [:]
        var sources: [String: String] = [:]
        for (source, path) in layout.targets.sorted(by: { $0.key < $1.key }) {
            if let first = sources[path] {
                layout.faults.append(Self.fault(source, "the same file of the pack as \(first)"))
                continue
            }
            sources[path] = source
            guard PackPath.isFile(path, ofStudy: study) else {
                layout.faults.append(Self.fault(source, "a pack cannot contain a file with this path"))
                continue
            }
            do {
                texts[path] = try PackFiles.content(of: path, reading.data[source] ?? Data())
            } catch {
                layout.faults.append(Self.fault(source, error.message))
            }
        }
        guard layout.faults.isEmpty else { throw PackFaults(layout.faults) }
        var files = PackFiles(files: texts)
        if layout.hasOtherStudies { files = files.limited(toStudy: study) }
        let faults = files.storageFaults + Self.faults(ofCodeIn: files, study)
        guard faults.isEmpty else { throw PackFaults(faults) }
        self.files = files
        media = sources.filter { files.reference(at: $0.key) != nil }.compactMapValues { reading.data[$0] }
    }

    private static func fault(_ file: String, _ message: String) -> PackFault {
        PackFault(file: file, line: 1, message: message)
    }

    /// A fault if `study.yaml` states the code of another study. A file that cannot be read has other faults.
    private static func faults(ofCodeIn files: PackFiles, _ study: String) -> [PackFault] {
        let path = "studies/\(study)/" + PackPath.study
        guard let text = files[path], let editor = try? YAMLEditor(text, file: path),
            let code = editor.value(at: "/code")?.string, code != study
        else { return [] }
        let message = "this is the study \"\(code.prefix(60))\", and not \"\(study)\""
        return [fault(path, message)]
    }

    /// The entries of an archive by path.
    private struct Reading {
        var data: [String: Data] = [:]
        var faults: [PackFault] = []
        private var total = 0
        private var mediaTotal = 0

        init() {}

        private mutating func note(_ file: String, _ message: String) {
            if faults.count < maximumFaults { faults.append(fault(file, message)) }
        }

        mutating func read(_ bytes: [UInt8]) {
            guard bytes.starts(with: [0x50, 0x4B]), let archive = archive_read_new() else {
                return note("", "the file is not a zip archive")
            }
            defer { archive_read_free(archive) }
            guard archive_read_support_format_zip(archive) == ARCHIVE_OK else {
                return note("", "the server cannot read zip archives")
            }
            archive_read_set_options(archive, "hdrcharset=UTF-8")
            bytes.withUnsafeBytes { raw in
                guard archive_read_open_memory(archive, raw.baseAddress, raw.count) == ARCHIVE_OK else {
                    return note("", "the file is not a zip archive")
                }
                var entry: OpaquePointer?
                var count = 0
                while true {
                    let status = archive_read_next_header(archive, &entry)
                    if status == ARCHIVE_EOF { return }
                    guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry else {
                        return note("", "the zip archive is damaged")
                    }
                    count += 1
                    guard count <= maximumEntries else {
                        return note("", "more than \(maximumEntries) entries")
                    }
                    guard read(entry, of: archive) else { return }
                }
            }
        }

        /// Returns false if the rest of the archive must not be read.
        private mutating func read(_ entry: OpaquePointer, of archive: OpaquePointer) -> Bool {
            guard let path = Self.path(of: entry) else {
                note("", "the name of a file is not UTF-8")
                return true
            }
            let shown = String(path.prefix(200))
            let type = UInt32(archive_entry_filetype(entry)) & typeMask
            guard archive_entry_symlink(entry) == nil, archive_entry_hardlink(entry) == nil,
                type == regularFile || type == folderType || type == 0
            else {
                note(shown, "neither a file nor a folder; links are not followed")
                return true
            }
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            guard !path.hasPrefix("/"), !path.contains("\\"), !parts.contains(".."), !parts.contains("."),
                !path.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }),
                path.utf8.count <= 1000
            else {
                note(shown, "the path must be relative, without \"..\" and without control characters")
                return true
            }
            guard type != folderType, !path.hasSuffix("/") else { return true }
            // Hidden files, and those that macOS adds.
            guard !parts.contains(where: { $0.hasPrefix(".") || $0 == "__MACOSX" }) else { return true }
            guard archive_entry_is_encrypted(entry) == 0 else {
                note(shown, "the file is encrypted")
                return true
            }
            return readData(of: path, archive)
        }

        /// The most bytes of a file that are kept. A medium of a library can be larger than other files.
        private static func maximumBytes(_ path: String) -> Int {
            let folders = path.split(separator: "/").dropLast().suffix(2).map { "\($0)/" }
            return folders == [PackPath.library, PackPath.media]
                ? ContentMedia.maximumBytes : PackFiles.maximumFileBytes
        }

        private static func path(of entry: OpaquePointer) -> String? {
            if let name = archive_entry_pathname_utf8(entry) { return String(validatingCString: name) }
            return archive_entry_pathname(entry).flatMap { String(validatingCString: $0) }
        }

        private mutating func readData(of path: String, _ archive: OpaquePointer) -> Bool {
            var found = Data()
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            let limit = Self.maximumBytes(path)
            var count = 0
            while true {
                let read = archive_read_data(archive, &piece, piece.count)
                if read == 0 { break }
                guard read > 0 else {
                    note(String(path.prefix(200)), "the content is damaged")
                    return false
                }
                count += read
                // A medium counts as a large one from the first byte above 1 MiB on.
                if limit > PackFiles.maximumFileBytes, count > PackFiles.maximumFileBytes {
                    mediaTotal += read
                } else {
                    total += read
                }
                guard total <= maximumTotalBytes else {
                    note("", "the unpacked files are larger than \(maximumTotalBytes >> 20) MiB")
                    return false
                }
                guard mediaTotal <= maximumMediaBytes else {
                    note("", "the unpacked media are larger than \(maximumMediaBytes >> 20) MiB")
                    return false
                }
                if found.count <= limit { found.append(contentsOf: piece[..<read]) }
            }
            guard data.updateValue(found, forKey: path) == nil else {
                note(String(path.prefix(200)), "the archive contains this path twice")
                return true
            }
            return true
        }
    }

    /// Which files of an archive belong to a study.
    private struct Layout {
        /// Path in the archive -> path in the pack.
        private(set) var targets: [String: String] = [:]
        private(set) var hasOtherStudies = false
        var faults: [PackFault] = []

        init(paths: [String], study: String) {
            let descriptions = paths.filter { $0 == PackPath.study || $0.hasSuffix("/" + PackPath.study) }
            let inStudies = descriptions.filter { Self.studyCode(ofDescription: $0) != nil }
            let own = inStudies.filter { Self.studyCode(ofDescription: $0) == study }
            hasOtherStudies = inStudies.count > own.count
            guard let description = own.first ?? (inStudies.isEmpty ? descriptions.first : nil) else {
                let codes = Set(inStudies.compactMap(Self.studyCode)).sorted().joined(separator: ", ")
                let message =
                    inStudies.isEmpty
                    ? "there is no \(PackPath.study) in the archive"
                    : "the archive contains the study \(codes), and not \(study)"
                faults = [fault("", message)]
                return
            }
            let candidates = own.isEmpty ? descriptions : own
            guard candidates.count == 1 else {
                faults = candidates.map { fault($0, "the archive contains several studies here") }
                return
            }
            let folder = description.dropLast(PackPath.study.count)
            for path in paths {
                if let instrument = Self.instrumentPath(path) {
                    targets[path] = instrument
                } else if path.hasPrefix(folder) {
                    targets[path] = "studies/\(study)/" + path.dropFirst(folder.count)
                }
            }
        }

        /// The code in `…/studies/<code>/study.yaml`.
        private static func studyCode(ofDescription path: String) -> String? {
            let parts = path.split(separator: "/")
            guard parts.count >= 3, parts[parts.count - 3] == "studies" else { return nil }
            return String(parts[parts.count - 2])
        }

        /// `instruments/<code>/<version>/…` without the folders before it.
        private static func instrumentPath(_ path: String) -> String? {
            let parts = path.split(separator: "/")
            guard let start = parts.firstIndex(of: "instruments") else { return nil }
            let own = parts[start...].joined(separator: "/")
            return PackPath.instrumentFolder(of: own) == nil ? nil : own
        }
    }
}
