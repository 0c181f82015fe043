import SaunterCore

/// The lines with which programs of a researcher fetch a finished dataset and read it.
///
/// The API token is only in headers, and never in an address, because servers and proxies log addresses. Spreadsheets
/// ask for it as a password.
struct DatasetLines {
    /// A program, or a way to fetch the dataset.
    enum Program: String, CaseIterable {
        case r, python, terminal, stata, spss, excel, odata
    }

    /// What one program needs.
    struct Part: Equatable {
        var program: Program
        /// The lines to copy.
        var lines: [String]
        /// Whether the dataset has the files of the program. Otherwise `lines` use the files that every dataset has, or
        /// there are none.
        var hasFiles = true
    }

    /// The address of the zip file.
    let file: String
    /// The address of the study's OData feed; nil if the feed shows more than the dataset.
    let feed: String?
    /// The name of the folder in the zip file.
    let folder: String
    /// The table that most analyses begin with.
    let table: String
    /// The raw values of the formats that the dataset has.
    let formats: Set<String>
    /// The API token.
    let token: String

    /// The lines for an export of `GET /v1/studies/{study}/exports/{export}`.
    /// - Returns: nil if the dataset is not ready.
    init?(of export: JSON, token: String, publicURL: String) {
        guard export["state"]?.string == "done", let name = export["file_name"]?.string,
            let study = export["study"]?.string, let id = export["export_id"]?.string
        else { return nil }
        let profile = export["profile"]?.string
        let base = "\(publicURL)/v1/studies/\(PageAddress.encodePart(study))"
        file = "\(base)/exports/\(id)/file"
        feed = profile == "coded" || profile == "full" ? "\(base)/odata/" : nil
        folder = name.hasSuffix(".zip") ? String(name.dropLast(4)) : name
        table = profile == "public" ? "public_people" : "panel"
        formats = Set((export["request"]?["formats"]?.array ?? []).compactMap(\.string))
        self.token = token
    }

    /// The parts in the order of the page.
    var parts: [Part] {
        [
            Part(program: .r, lines: r), Part(program: .python, lines: python),
            Part(program: .terminal, lines: [Self.curl(file, to: "\(folder).zip", token: token)]),
            stata, spss, excel,
        ] + (feed.map { [Part(program: .odata, lines: [$0])] } ?? [])
    }

    /// A line for a terminal that stores a resource of the API in a file.
    static func curl(_ address: String, to file: String, token: String) -> String {
        "curl --fail --header \"Authorization: Bearer \(token)\" --output \"\(file)\" \"\(address)\""
    }

    private var r: [String] {
        [
            "options(timeout = 3600)",
            "download.file(\"\(file)\", \"\(folder).zip\", mode = \"wb\", method = \"libcurl\",",
            "  headers = c(Authorization = \"Bearer \(token)\"))",
            "unzip(\"\(folder).zip\")",
            "source(\"\(folder)/load/load.R\", encoding = \"UTF-8\")",
            "data <- saunter_load(\"\(folder)\")",
        ]
    }

    /// An interactive Python needs the empty line after `with`.
    private var python: [String] {
        [
            "import shutil, sys, urllib.request, zipfile",
            "request = urllib.request.Request(\"\(file)\",",
            "    headers={\"Authorization\": \"Bearer \(token)\"})",
            "with urllib.request.urlopen(request) as reply, open(\"\(folder).zip\", \"wb\") as file:",
            "    shutil.copyfileobj(reply, file)",
            "",
            "zipfile.ZipFile(\"\(folder).zip\").extractall()",
            "sys.path.insert(0, \"\(folder)/load\")",
            "from load import load",
            "data = load()",
        ]
    }

    private var stata: Part {
        let unpack = "unzipfile \"\(folder).zip\""
        guard formats.contains("stata") else {
            return Part(
                program: .stata, lines: [unpack, "cd \"\(folder)\"", "do \"load/load.do\""],
                hasFiles: false)
        }
        return Part(
            program: .stata, lines: [unpack, "use \"\(folder)/stata/\(table).dta\", clear"])
    }

    private var spss: Part {
        guard formats.contains("spss") else {
            return Part(
                program: .spss, lines: ["CD '\(folder)'.", "INSERT FILE='load/load.sps'."], hasFiles: false)
        }
        return Part(program: .spss, lines: ["GET FILE='\(folder)/spss/\(table).sav'."])
    }

    private var excel: Part {
        formats.contains("excel")
            ? Part(program: .excel, lines: ["\(folder)/excel/dataset.xlsx"])
            : Part(program: .excel, lines: [], hasFiles: false)
    }
}
