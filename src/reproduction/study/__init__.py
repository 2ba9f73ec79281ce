"""The studies (papers, the survey, analyses) as tables of cells, and the runs behind the cells."""
