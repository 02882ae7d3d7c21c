from annotations.names import normalised


def test_a_name_is_one_line_of_lower_case():
    assert normalised("Port\n  Hallow") == "port hallow"
    assert len(normalised("X" * 500)) == 200
