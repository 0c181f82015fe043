import Testing

@testable import SaunterWeb

/// Scripts as the files that the server sends.
struct ScriptFilesTests {
    @Test func `a file has a script and those that only it imports, each after those that it imports`() throws
    {
        let files = try ScriptFiles([
            "app.js": "import { make } from \"./page.js\";\nmake();",
            "page.js": "export const make = () => {};",
            "answer.js":
                "import { judge } from \"./rules.js\";\nimport { make } from \"./page.js\";\njudge(make);",
            "rules.js": "import { make } from \"./page.js\";\nexport const judge = make;",
        ]).texts()

        #expect(files["app.js"] == "export const make = () => {};\nmake();\n")
        #expect(
            files["answer.js"]
                == "import { make } from \"./app.js\";\nexport const judge = make;\njudge(make);\n")
        #expect(files.count == 2)
    }

    @Test func `a script that is loaded when it is needed has a file, and imports from that of its page`()
        throws
    {
        let scripts = try ScriptFiles([
            "answer.js": "import { form } from \"./form.js\";\nform(() => import(\"./review.js\"));",
            "form.js": "export const form = (load) => load();",
            "review.js": "import { form } from \"./form.js\";\nform();",
        ])

        #expect(scripts.file(of: "form.js") == "answer.js")
        #expect(try scripts.texts()["review.js"] == "import { form } from \"./answer.js\";\nform();\n")
    }

    @Test func `a script that two files import has its own file`() throws {
        let scripts = try ScriptFiles([
            "settings.js": "import { subscribe } from \"./push.js\";\nsubscribe();",
            "today.js": "import { subscribe } from \"./push.js\";\nsubscribe();",
            "push.js": "export const subscribe = () => {};",
        ])

        #expect(scripts.file(of: "push.js") == "push.js")
        #expect(
            try scripts.texts()["today.js"] == "import { subscribe } from \"./push.js\";\nsubscribe();\n")
    }

    @Test func `an import of a script that does not exist, and a circle of imports, are faults`() {
        #expect(throws: ScriptFiles.ImportFault.self) {
            try ScriptFiles(["app.js": "import \"./other.js\";"])
        }
        #expect(throws: ScriptFiles.ImportFault.self) {
            try ScriptFiles([
                "app.js": "import \"./page.js\";", "page.js": "import \"./rules.js\";",
                "rules.js": "import \"./page.js\";",
            ])
        }
    }
}
