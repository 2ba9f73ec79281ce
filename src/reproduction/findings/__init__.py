"""What the study finds: agreement with the papers, claims, rankings, arenas and analyses."""
