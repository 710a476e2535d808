// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine

extension Option {
    static let drawnFolder = Option(
        "svg", .text(placeholder: "DIR"), isRequired: true, help: "folder of the pictures")
    static let page = Option(
        "page", .text(placeholder: "FILE"),
        help: "a Markdown page beside that folder, whose part between two marks is made anew")
}

extension Command {
    static let benchDraw = Command(
        "draw", summary: "draws kept figures anew, without a measurement",
        explanation: """
            Reads figures that --json or --svg of another command has written, and draws their pictures. The
            same figures make the same pictures. With --page it also writes the pictures, their conditions and
            a table of all figures into a page, between the lines
            \(FigurePage.begin) and \(FigurePage.end).
            """,
        operands: [Operand("FILE", mayRepeat: true, help: "figures as JSON")],
        options: [.drawnFolder, .page],
        example: "roost-bench draw docs/pictures/bench-cache.json --svg docs/pictures",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let folder = try PictureFolder(arguments.requiredText(.drawnFolder))
            do throws(BenchError) {
                var reports: [BenchReport] = []
                for path in arguments.operands {
                    do throws(BenchError) {
                        reports.append(try BenchReport(json: PictureFolder.read(path)))
                    } catch {
                        throw BenchError("\(path): \(error.message)")
                    }
                }
                for report in reports { try folder.draw(report) }
                guard let page = arguments.text(.page) else { return }
                let name = URL(fileURLWithPath: folder.path).lastPathComponent
                let text = try FigurePage(reports, pictures: name).replaced(
                    in: PictureFolder.read(page))
                try PictureFolder.write(text, to: page)
            } catch {
                throw CommandFailure(.failed, error.message)
            }
        })
}
