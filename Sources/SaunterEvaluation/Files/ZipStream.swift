import CArchive

/// A ZIP archive that is written into memory piece by piece. The caller takes the finished bytes after each piece, so
/// that an archive of any size needs little memory.
///
/// The entries have no times. All have the owner 0 and the mode 0644, so equal content gives equal bytes. Sizes follow
/// the data of each entry, so the size of a file need not be known when it begins, and the output need not be seekable.
package final class ZipStream {
    /// The finished bytes. The archive refers to them through a pointer.
    private final class Output {
        var bytes: [UInt8] = []
    }

    /// `AE_IFREG` of <archive_entry.h>, which Swift does not import.
    private static let regularFile: UInt32 = 0o100000

    private let archive: OpaquePointer
    private let output = Output()

    /// - Throws: `DatasetFault.zip`.
    package init() throws {
        guard let archive = archive_write_new() else { throw DatasetFault.zip("there is not enough memory") }
        self.archive = archive
        try check(archive_write_set_format_zip(archive))
        try check(
            archive_write_set_options(
                archive, "zip:compression=deflate,zip:compression-level=6,zip:hdrcharset=UTF-8"))
        try check(archive_write_set_bytes_per_block(archive, 0))
        try check(
            archive_write_open(
                archive, Unmanaged.passUnretained(output).toOpaque(), nil,
                { _, context, bytes, count in
                    guard let context, let bytes else { return -1 }
                    let output = Unmanaged<Output>.fromOpaque(context).takeUnretainedValue()
                    output.bytes += UnsafeRawBufferPointer(start: bytes, count: count)
                    return count
                }, nil))
    }

    deinit {
        // Also closes an archive that was abandoned.
        archive_write_free(archive)
    }

    /// Begins the next file. It ends when the next one begins.
    /// - Throws: `DatasetFault.zip`.
    package func beginFile(_ name: String) throws {
        guard let entry = archive_entry_new() else { throw DatasetFault.zip("there is not enough memory") }
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname_utf8(entry, name)
        archive_entry_set_filetype(entry, Self.regularFile)
        archive_entry_set_perm(entry, 0o644)
        archive_entry_unset_size(entry)
        archive_entry_unset_mtime(entry)
        try check(archive_write_header(archive, entry))
    }

    /// Adds bytes to the file.
    /// - Throws: `DatasetFault.zip`.
    package func add(_ bytes: some Collection<UInt8>) throws {
        let piece = Array(bytes)
        guard !piece.isEmpty else { return }
        let written = piece.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
        guard written == piece.count else { throw fault }
    }

    /// Ends the last file and the archive.
    /// - Throws: `DatasetFault.zip`.
    package func finish() throws {
        try check(archive_write_close(archive))
    }

    /// The bytes of the archive that were finished since the last call.
    package func takeBytes() -> [UInt8] {
        defer { output.bytes = [] }
        return output.bytes
    }

    private func check(_ status: Int32) throws {
        guard status == ARCHIVE_OK else { throw fault }
    }

    private var fault: DatasetFault {
        .zip(archive_error_string(archive).map { String(cString: $0) } ?? "the library states no reason")
    }
}
