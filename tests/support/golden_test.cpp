#include "tests/golden.hpp"

#include <fstream>
#include <stdexcept>

#include <doctest/doctest.h>

using namespace satura::test;

TEST_CASE("a block has a command, arguments, an input and an output") {
    const auto blocks = parse_golden(
        "# why\n"
        "\n"
        "simplify columns=(x int, y text) flag key=\"a b\"\n"
        "x > 1\n"
        "\n"
        "and y = 'a'\n"
        "----\n"
        "out\n"
        "\n"
        "next\n"
        "----\n");
    REQUIRE(blocks.size() == 2);
    const Block& block = blocks[0];
    CHECK(block.command == "simplify");
    CHECK(block.argument_text == "columns=(x int, y text) flag key=\"a b\"");
    CHECK(block.arguments ==
          std::vector<Argument>{{"columns", "x int, y text"}, {"flag", ""}, {"key", "a b"}});
    CHECK(block.has("flag"));
    CHECK_FALSE(block.has("fla"));
    CHECK(block.value("key") == "a b");
    CHECK(block.input == "x > 1\n\nand y = 'a'\n");
    CHECK(block.expected == "out\n");
    CHECK(block.line == 3);
    CHECK(blocks[1].command == "next");
    CHECK(blocks[1].line == 10);
    CHECK(blocks[1].input.empty());
    CHECK(blocks[1].expected.empty());
}

TEST_CASE("the doubled form keeps blank lines and single rules") {
    const auto blocks = parse_golden("a\n----\n----\none\n\n----\ntwo\n----\n----\n\nb\n----\nx\n");
    REQUIRE(blocks.size() == 2);
    CHECK(blocks[0].expected == "one\n\n----\ntwo\n");
    CHECK(blocks[1].expected == "x\n");
}

TEST_CASE("a block that is not closed names its line") {
    CHECK_THROWS_WITH_AS(parse_golden("\na b\ninput\n"), "line 2: 'a': no ---- line",
                         std::runtime_error);
    CHECK_THROWS_WITH_AS(parse_golden("a\n----\n----\nx\n"),
                         "line 1: 'a': no closing pair of ---- lines", std::runtime_error);
}

TEST_CASE("blessing replaces the outputs and nothing else") {
    const std::string text =
        "# head\na x\nin\n----\nold\n\n# between\n\nb\n----\n----\no\n\nld\n----\n----\n\n# end\n";
    const auto blocks = parse_golden(text);
    CHECK(with_outputs(text, blocks, {"old\n", "o\n\nld\n"}) == text);
    CHECK(
        with_outputs(text, blocks, {"n\n\new\n", "new\n"}) ==
        "# head\na x\nin\n----\n----\nn\n\new\n----\n----\n\n# between\n\nb\n----\nnew\n\n# end\n");
    CHECK(with_outputs("a\n----", parse_golden("a\n----"), {"new\n"}) == "a\n----\nnew\n");
}

TEST_CASE("what was blessed is read back") {
    const std::string text = "a\n----\n";
    for (const std::string output :
         {"", "x\n", "\n", "x\n\n", "----\n", "x\n----\ny\n", "\n----\n"}) {
        CAPTURE(output);
        const std::string blessed = with_outputs(text, parse_golden(text), {output});
        const auto blocks = parse_golden(blessed + "\nb\n----\n");
        REQUIRE(blocks.size() == 2);
        CHECK(blocks[0].expected == output);
    }
}

TEST_CASE("a diff shows common lines once") {
    CHECK(line_diff("a\nb\nc\n", "a\nx\nc\nd\n") == "  a\n- b\n+ x\n  c\n+ d\n");
    CHECK(line_diff("", "") == "");
}

TEST_CASE("golden files run") {
    run_golden("tests/data/support/golden.test", [](const Block& block) -> std::string {
        if (block.command == "fail")
            throw std::runtime_error(block.input.substr(0, block.input.find('\n')));
        return block.command == "echo" ? block.input : block.argument_text;
    });
    const auto files = golden_files("tests/data/support");
    REQUIRE(files.size() == 1);
    CHECK(files[0].filename() == "golden.test");
    CHECK(golden_files("tests/data/no-such-folder").empty());
}
